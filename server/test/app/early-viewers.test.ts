import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import WebSocket from 'ws';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { cat } from '../support/memory-runner/programs.ts';

let c: InProcessApp;
let slow: string;

beforeAll(async () => {
  c = await startTestApp({ programs: { slow: cat } });
  slow = join(c.folder, 'slow');
  // The console asks this kind of agent for its version before it starts the agent, so the start waits for the file
  // `go`.
  const script = `#!/bin/sh\nwhile [ ! -e '${join(c.folder, 'go')}' ]; do sleep 0.05; done\n`;
  writeFileSync(slow, script, { mode: 0o755 });
  await c.client.call('agents.create', { id: 'slow', name: 'Slow', kind: 'codex', command: [slow] });
});
afterAll(() => c.close());

it('an agent whose terminal was opened before its process existed is not lost', async () => {
  const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'slow' });
  // On a slow machine, the call may time out before the file exists. The agent then starts without the caller.
  const creation = c.client.call('workers.create', { sessionId, type: 'agent' }).catch((error) => {
    expect(error).toMatchObject({ code: 'TIMEOUT' });
  });
  const workerOf = async () => (await c.client.call('sessions.get', { sessionId })).workers[0];
  await c.until('a worker that is starting', async () => (await workerOf())?.state === 'starting');
  const workerId = (await workerOf())?.id ?? '';
  const frames: string[] = [];
  const url = `${c.baseUrl.replace('http', 'ws')}/ws/session/${sessionId}/worker/${workerId}?fromOffset=0`;
  const socket = new WebSocket(url);
  socket.on('message', (data, isBinary) => {
    frames.push(isBinary ? (data as Buffer).subarray(8).toString() : data.toString());
  });
  await c.until('the first frame', async () => frames.length > 0);
  expect(await c.client.call('workers.screen', { workerId })).toMatchObject({ offset: 0 });
  writeFileSync(join(c.folder, 'go'), '');
  await creation;
  await c.until('a running worker', async () => (await workerOf())?.state === 'running');
  await c.client.call('workers.input', { workerId, data: 'still there' });
  await c.until('the output', async () => frames.join('').includes('still there'));
  expect(frames.filter((frame) => frame.includes('"exited"'))).toEqual([]);
  expect(await workerOf()).toMatchObject({ state: 'running' });
  expect(await c.client.call('workers.screen', { workerId })).toMatchObject({
    text: expect.stringContaining('still there'),
  });
  socket.terminate();
});
