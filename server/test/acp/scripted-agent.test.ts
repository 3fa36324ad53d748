import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { client, methods, ndJsonStream, PROTOCOL_VERSION, type SessionUpdate } from '@agentclientprotocol/sdk';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runAcpAgent } from '../../src/scripted-agent/acp.ts';
import { runGit } from '../../src/scripted-agent/git.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ac-acp-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Connects the client of the ACP SDK to a scripted agent that runs in this process. */
function connect(answer: string | null = 'yes') {
  const toAgent = new TransformStream<Uint8Array, Uint8Array>();
  const toClient = new TransformStream<Uint8Array, Uint8Array>();
  const ended = runAcpAgent({
    input: toAgent.readable,
    output: toClient.writable,
    transcripts: join(folder, 'transcripts'),
    env: process.env,
    runGit,
    exit: () => new Promise(() => {}),
    crash: () => new Promise(() => {}),
  });
  const updates: SessionUpdate[] = [];
  const connection = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, () => ({
      outcome: answer === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: answer },
    }))
    .connect(ndJsonStream(toAgent.writable, toClient.readable));
  return { agent: connection.agent, updates, ended, close: () => connection.close() };
}

const textOf = (updates: readonly SessionUpdate[]) =>
  updates.flatMap((each) =>
    each.sessionUpdate === 'agent_message_chunk' && each.content.type === 'text' ? [each.content.text] : [],
  );

it('holds a conversation, and replays it to another client', async () => {
  const one = connect();
  await one.agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
  const { sessionId } = await one.agent.request(methods.agent.session.new, { cwd: folder, mcpServers: [] });
  const prompt = [
    { type: 'text' as const, text: '@say hello\n@thought hm\n@plan read + | write ~ | test\n@stop max_tokens' },
  ];
  expect(await one.agent.request(methods.agent.session.prompt, { sessionId, prompt })).toMatchObject({
    stopReason: 'max_tokens',
  });
  expect(one.updates.map((each) => each.sessionUpdate)).toEqual(['agent_message_chunk', 'agent_thought_chunk', 'plan']);
  one.close();

  const two = connect();
  await two.agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
  await two.agent.request(methods.agent.session.load, { sessionId, cwd: folder, mcpServers: [] });
  expect(two.updates.map((each) => each.sessionUpdate)).toEqual(['user_message_chunk', 'agent_message_chunk']);
  two.close();
});

it.each([
  ['yes', ['Write allowed', 'after']],
  ['no', ['Write denied']],
])('asks for permission and follows the answer %s', async (answer, said) => {
  const { agent, updates, close } = connect(answer);
  await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd: folder, mcpServers: [] });
  const prompt = [{ type: 'text' as const, text: '@permission Write a.txt\n@say after' }];
  await agent.request(methods.agent.session.prompt, { sessionId, prompt });
  expect(textOf(updates)).toEqual(said);
  close();
});

it('ends a cancelled prompt as cancelled', async () => {
  const { agent, close } = connect();
  await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd: folder, mcpServers: [] });
  const prompt = [{ type: 'text' as const, text: '@sleep 60000' }];
  const ended = agent.request(methods.agent.session.prompt, { sessionId, prompt });
  await agent.notify(methods.agent.session.cancel, { sessionId });
  expect(await ended).toMatchObject({ stopReason: 'cancelled' });
  close();
});
