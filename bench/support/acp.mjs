import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { onEnd } from './cleanup.mjs';
import { load, loadModule } from './packages.mjs';

/**
 * Starts an agent and opens a conversation with it. Uses the client in the protocol's own SDK.
 * @param {(update: object) => void} onUpdate called for each update of the conversation
 */
export async function openClient(file, args, onUpdate = () => {}) {
  const { client, ndJsonStream, PROTOCOL_VERSION } = await loadModule('@agentclientprotocol/sdk');
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const end = onEnd(async () => {
    child.kill('SIGKILL');
    await gone;
  });
  const { agent } = client({ name: 'bench' })
    .onNotification('session/update', ({ params }) => onUpdate(params.update))
    .connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
  await agent.request('initialize', { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
  const { sessionId } = await agent.request('session/new', { cwd: process.cwd(), mcpServers: [] });
  return {
    prompt: (text) => agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }),
    end,
  };
}

export async function followEvents({ port, token }, onEvent) {
  const { WebSocket } = load('ws');
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/app`, { headers: { authorization: `Bearer ${token}` } });
  await new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.on('message', (data) => {
      const frame = JSON.parse(data.toString());
      if (frame.type === 'snapshot') resolve();
      else if (frame.type === 'ping') socket.send('{"type":"pong"}');
      else if (frame.type === 'event') onEvent(frame.event);
    });
  });
  return { close: () => socket.terminate() };
}
