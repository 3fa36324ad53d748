import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { EDITOR_LINE_MAX_CHARS } from '@agent-console/shared/limits/acp';
import type { McpServer } from '@agentclientprotocol/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findRunner } from '../../src/runner/supervisor.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { acceptEditor, CLI, startEditor, textPrompt } from '../support/editor.ts';
import { filesWith } from '../support/files-with.ts';
import { aMoment, killServer, randomFrom, SEED } from './support/kill.ts';

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

it('continues when the server is killed during a prompt, and keeps its sessions when the editor exits', async () => {
  // The working directory of the editor's process differs from that of its session.
  const editor = await startEditor(c.env, ['--agent', 'scripted-acp'], '/');
  const { sessionId } = await editor.agent.request('session/new', { cwd: c.folder, mcpServers: [] });
  const text = '@say before\n@sleep 1000\n@edit k.txt made\n@chunks 20 word';
  const ended = editor.agent.request('session/prompt', { sessionId, prompt: textPrompt(text) });
  await c.until('the first words', () => editor.said(sessionId) === 'before');
  await killServer(c);
  expect(await ended).toEqual({ stopReason: 'end_turn' });
  const words = Array.from({ length: 20 }, (_, at) => `word${at} `).join('');
  expect(editor.said(sessionId)).toBe(`before${words}`);

  expect(editor.invalid).toEqual([]);
  expect(readFileSync(join(c.folder, 'k.txt'), 'utf8')).toBe('made\n');
  expect(existsSync('/k.txt')).toBe(false);

  const running = editor.agent
    .request('session/prompt', { sessionId, prompt: textPrompt('@sleep 300\n@say alone') })
    .catch(() => undefined);
  await c.until('the next prompt', async () => {
    const { task } = await c.client.call('sessions.get', { sessionId });
    return task?.status === 'running';
  });
  editor.process.stdin?.end();
  expect(await once(editor.process, 'exit')).toEqual([0, null]);
  await running;
  expect(editor.stderr()).toBe('');
  await c.client.call('sessions.wait', { sessionId, timeoutSeconds: 45 });
  const { data } = await c.client.call('sessions.messages', { sessionId });
  expect(data.at(-1)?.parts).toEqual([{ type: 'text', text: 'alone' }]);
});

it.skipIf(process.env.LONG !== '1')('sends each prompt once if the server is killed at any time', async () => {
  const editor = await startEditor(c.env, ['--agent', 'scripted-acp']);
  const random = randomFrom(SEED);
  const { sessionId } = await editor.agent.request('session/new', { cwd: c.folder, mcpServers: [] });
  let said = '';
  for (let round = 0; round < 20; round += 1) {
    const text = `@say ${round}a\n@sleep 20\n@chunks 10 ${round}b`;
    const ended = editor.agent.request('session/prompt', { sessionId, prompt: textPrompt(text) });
    await aMoment(random() * 100);
    await killServer(c);
    expect(await ended, `seed ${SEED}, round ${round}`).toEqual({ stopReason: 'end_turn' });
    said += `${round}a${Array.from({ length: 10 }, (_, at) => `${round}b${at} `).join('')}`;
    expect(editor.said(sessionId), `seed ${SEED}, round ${round}`).toBe(said);
  }
  const loaded = await startEditor(c.env, []);
  await loaded.agent.request('session/load', { sessionId, cwd: c.folder, mcpServers: [] });
  expect(loaded.said(sessionId)).toBe(said);
  expect(loaded.of(sessionId).filter((each) => each.sessionUpdate === 'user_message_chunk')).toHaveLength(20);
  for (const { process, invalid } of [editor, loaded]) {
    process.stdin?.end();
    expect(invalid).toEqual([]);
  }
});

it.each(['scripted-acp', 'scripted'])(
  'gives its MCP servers to the process of agent %s in private files',
  async (agent) => {
    const editor = await startEditor(c.env, ['--agent', agent]);
    const secret = `secret-for-${agent}`;
    const filesWithSecret = () => filesWith(c.home, secret);
    const server: McpServer = {
      name: 'My Files',
      command: '/bin/files',
      args: [],
      env: [{ name: 'KEY', value: secret }],
    };
    const { sessionId } = await editor.agent.request('session/new', { cwd: c.folder, mcpServers: [server] });
    await editor.agent.request('session/prompt', { sessionId, prompt: textPrompt('@servers') });
    expect(editor.said(sessionId)).toContain('my-files');
    const files = filesWithSecret();
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      expect(file).toMatch(/\/(private|workers\/[^/]+\/process)\//);
      expect((statSync(file).mode & 0o777).toString(8), file).toBe('600');
    }
    await c.client.call('sessions.stop', { sessionId });
    await c.until('their end', () => filesWithSecret().length === 0);
    editor.process.stdin?.end();
    expect(editor.invalid).toEqual([]);
  },
);

it('answers invalid and overlong messages with errors, and continues', async () => {
  const child = spawn(process.execPath, [CLI, 'acp'], { env: c.env, stdio: ['pipe', 'pipe', 'ignore'] });
  let answers = '';
  child.stdout.on('data', (chunk: Buffer) => {
    answers += chunk.toString();
  });
  const list = '"method":"session/list","params":{}';
  const write = (...lines: string[]) => child.stdin.write(lines.map((line) => `${line}\n`).join(''));
  write(
    'Loading…',
    '[]',
    '{}',
    `{"jsonrpc":"2.0","id":"big","method":"session/list","params":{"x":"${'x'.repeat(EDITOR_LINE_MAX_CHARS)}"}}`,
    `{"jsonrpc":"2.0","id":"early",${list}}`,
    '{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":99}}',
  );
  await c.until('the introduction', () => answers.includes('"id":"first"'));
  write(
    // A line can be this long, because a prompt can contain an image.
    `{"jsonrpc":"2.0","id":"long","method":"session/list","params":{"_meta":{"x":"${'x'.repeat(5 * 1024 * 1024)}"}}}`,
    '{"jsonrpc":"2.0","id":99,"result":{}}',
    '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"none"}}',
    '{"jsonrpc":"2.0","id":"unknown","method":"session/unknown"}',
    `{"jsonrpc":"2.0","id":"last",${list}}`,
  );
  await c.until('the last answers', () => ['"id":"long"', '"id":"last"'].every((id) => answers.includes(id)));
  const answered = answers
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answered.filter(({ id }) => id === null).map(({ error }) => error.code)).toEqual([
    -32_700, -32_600, -32_600, -32_600,
  ]);
  const codes = Object.fromEntries(answered.map(({ id, error }) => [id, error?.code]));
  expect(codes).toMatchObject({
    early: -32_600,
    first: undefined,
    long: undefined,
    unknown: -32_601,
    last: undefined,
  });
  expect(answered.find(({ id }) => id === 'first').result.protocolVersion).toBe(1);
  child.stdin.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
});

it('starts the console if none runs, and takes its token from a file or a variable', async () => {
  const home = join(c.folder, 'another');
  const env = { ...c.env, AGENT_CONSOLE_HOME: home, AGENT_CONSOLE_AUTH: 'token', PORT: '0' };
  const newSession = async ({ agent, process }: Awaited<ReturnType<typeof startEditor>>) => {
    const opened = await agent.request('session/new', { cwd: c.folder, mcpServers: [] });
    process.stdin?.end();
    expect(await once(process, 'exit')).toEqual([0, null]);
    return opened.sessionId;
  };
  try {
    const first = await startEditor(env, ['--agent', 'scripted-acp']);
    expect(await newSession(first)).toMatch(/^[0-9a-f-]{36}$/);
    const [, url = ''] = /Started Agent Console at (\S+)/.exec(first.stderr()) ?? [];
    const file = join(home, 'cli-token');
    const token = readFileSync(file, 'utf8').trim();
    const elsewhere = { ...c.env, AGENT_CONSOLE_HOME: join(c.folder, 'none') };
    const args = ['--url', url, '--agent', 'scripted-acp'];
    await newSession(await startEditor(elsewhere, [...args, '--token-file', file]));
    await newSession(await startEditor({ ...elsewhere, AGENT_CONSOLE_TOKEN: token }, args));
    const refused = startEditor(elsewhere, args);
    await expect(refused).rejects.toMatchObject({ code: -32_000, message: expect.stringContaining('token') });
  } finally {
    await (await findRunner(home))?.stopAll();
  }
});

it.runIf(process.platform === 'linux')(
  "acts as the worker in which it runs, even without the worker's variables",
  async () => {
    const root = await c.client.call('delegations.create', {
      repositoryId: c.repository.id,
      agentId: 'scripted',
      branch: 'feature/editor',
      prompt: '@say here',
    });
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const program = join(c.folder, 'inside.cjs');
    writeFileSync(
      program,
      `const [port, ...args] = process.argv.slice(2);
      const options = { env: {}, stdio: ['pipe', 'pipe', 'inherit'] };
      const child = require('node:child_process').spawn(process.execPath, args, options);
      const socket = require('node:net').connect(Number(port), '127.0.0.1');
      child.stdout.pipe(socket).pipe(child.stdin);`,
    );
    const { port } = server.address() as AddressInfo;
    const { id: workerId } = await c.client.call('workers.create', { sessionId: root.sessionId, type: 'terminal' });
    const accepted = acceptEditor(server);
    const args = [program, port, CLI, 'acp', '--url', c.baseUrl, '--agent', 'scripted-acp'];
    await c.client.call('workers.input', { workerId, data: `${process.execPath} ${args.join(' ')}\r` });
    const editor = await accepted;
    try {
      const cwd = root.worktreePath;
      const { sessionId } = await editor.agent.request('session/new', { cwd, mcpServers: [] });
      const { genealogy } = await c.client.call('sessions.get', { sessionId });
      expect(genealogy.parentSessionId).toBe(root.sessionId);
      const ended = editor.agent.request('session/prompt', {
        sessionId,
        prompt: textPrompt('@permission Write a.txt'),
      });
      const [approval] = await c.until('the question', async () => {
        const { data } = await c.client.call('approvals.list', { sessionId });
        return data.length > 0 && data;
      });
      await c.client.call('approvals.answer', { approvalId: approval?.id ?? '', optionId: 'no' });
      expect(await ended).toEqual({ stopReason: 'end_turn' });
      expect(editor.asked).toEqual([]);
    } finally {
      editor.close();
      server.close();
    }
  },
);
