import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startConsole, type TestConsole } from '../support/console.ts';
import { isAlive, killServer } from './support/kill.ts';

/** The example agent in the SDK of the Agent Client Protocol: an independent program that follows a fixed script. */
const EXAMPLE = join(dirname(createRequire(import.meta.url).resolve('acp-example')), 'examples/agent.js');
const SCRIPTED_AGENT = fileURLToPath(new URL('../../dist/scripted-agent.js', import.meta.url));

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
  const command = [process.execPath, EXAMPLE];
  await c.client.call('agents.create', { id: 'example', name: 'Example', command, driver: 'acp' });
});
afterAll(() => c.close());

it('calls the tools of the console through its bridge if it supports no HTTP', async () => {
  const command = ['/usr/bin/env', 'SCRIPTED_AGENT_MCP=stdio', process.execPath, SCRIPTED_AGENT, '--acp', c.folder];
  await c.client.call('agents.create', { id: 'only-stdio', name: 'Only stdio', command, driver: 'acp' });
  const { id, taskId } = await c.client.call('sessions.create', {
    cwd: c.folder,
    agentId: 'only-stdio',
    initialPrompt: '@report succeeded over stdio',
  });
  await c.client.call('sessions.wait', { sessionId: id, timeoutSeconds: 45 });
  expect(await c.client.call('tasks.get', { taskId: taskId ?? '' })).toMatchObject({
    status: 'completed',
    outcomeSource: 'report',
    summary: 'over stdio',
  });
});

const messagesOf = async (sessionId: string) => (await c.client.call('sessions.messages', { sessionId })).data;

it.each([
  ['keeps running', async () => {}],
  ['is killed at its question', () => killServer(c)],
])('the example agent works, gets permission to edit and ends its turn, while the server %s', async (_, disturb) => {
  const { id, taskId } = await c.client.call('sessions.create', {
    cwd: c.folder,
    agentId: 'example',
    initialPrompt: 'Hello',
  });
  const asked = await c.until('its question', async () => {
    const { data } = await c.client.call('approvals.list', { sessionId: id });
    return data[0];
  });
  expect(asked).toMatchObject({ text: 'Modifying critical configuration file', source: 'protocol' });
  await disturb();
  await c.client.call('approvals.answer', { approvalId: asked.id, optionId: 'allow' });
  await c.client.call('sessions.wait', { sessionId: id, timeoutSeconds: 45 });
  expect(await c.client.call('tasks.get', { taskId: taskId ?? '' })).toMatchObject({
    status: 'completed',
    outcomeSource: 'protocol',
  });
  expect((await messagesOf(id)).map(({ kind, parts }) => [kind, parts[0]?.status])).toEqual([
    ['text', undefined],
    ['text', undefined],
    ['toolCall', 'completed'],
    ['text', undefined],
    ['toolCall', 'completed'],
    ['text', undefined],
  ]);
});

it("an agent's terminal outlives the server, is started once, and ends with its session as a group", async () => {
  const file = (name: string) => join(c.folder, name);
  const command = 'echo $$ >> starts; tty; until [ -e go ]; do sleep 0.05; done; echo done; exit 3';
  const endless = 'sleep 1000 & echo $! > child; sleep 1000';
  const { id } = await c.client.call('sessions.create', {
    cwd: c.folder,
    agentId: 'scripted-acp',
    initialPrompt: `@run ${command}\n@terminal start b ${endless}\n@say ready`,
  });
  await c.until('the command', async () => existsSync(file('starts')));
  await killServer(c);
  writeFileSync(file('go'), '');
  await c.client.call('sessions.wait', { sessionId: id, timeoutSeconds: 45 });
  const texts = (await messagesOf(id)).filter(({ role, kind }) => role === 'agent' && kind === 'text');
  expect(texts.map(({ parts }) => parts[0]?.text)).toEqual(['error: exit status 3', 'ready']);
  const [call] = (await messagesOf(id)).flatMap(({ kind, parts }) => (kind === 'toolCall' ? parts : []));
  expect(call).toMatchObject({
    status: 'failed',
    content: [{ output: expect.stringMatching(/^\/dev\/pts\/\d+\ndone\n$/), exitCode: 3 }],
  });
  expect(readFileSync(file('starts'), 'utf8').trim().split('\n')).toHaveLength(1);
  const child = await c.until(
    'the child',
    async () => existsSync(file('child')) && Number(readFileSync(file('child'), 'utf8')),
  );
  const { workers } = await c.client.call('sessions.stop', { sessionId: id });
  expect(workers.map(({ type }) => type)).toEqual(['agent']);
  await c.until('the end of its group', async () => !isAlive(Number(child)));
});
