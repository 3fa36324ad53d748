import { mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ACP_TERMINAL_STORED_BYTES, ACP_TERMINALS_MAX } from '@agent-console/shared/limits/acp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionsOf } from '../e2e/support/sessions.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';
import type { OpenProgram } from '../support/memory-runner/programs.ts';

/** Number of times that the program `shell` ran each command line. */
const runs = new Map<string, number>();

/**
 * A shell with the commands `echo`, `pwd`, `env name`, `many count`, `exit`, and `hold`, which runs until the shell
 * gets a signal.
 */
const shell: OpenProgram = ({ spec, print, ended }) => {
  const [, line = ''] = spec.args;
  runs.set(line, (runs.get(line) ?? 0) + 1);
  let over = false;
  setImmediate(() => {
    for (const command of line.split(';')) {
      const [name, ...words] = command.trim().split(' ');
      if (name === 'echo') print(`${words.join(' ')}\n`);
      if (name === 'pwd') print(`${spec.cwd}\n`);
      if (name === 'env') print(`${words[0]}=${spec.env[words[0] ?? '']}\n`);
      if (name === 'many') print('é'.repeat(Number(words[0])));
      if (name === 'hold') return;
      if (name === 'exit' && !over) return ended({ exitCode: Number(words[0]), signal: null });
    }
    if (!over) ended({ exitCode: 0, signal: null });
  });
  return {
    input() {},
    signal(signal) {
      over = true;
      ended({ exitCode: null, signal });
    },
    stop() {
      over = true;
    },
  };
};

let c: InProcessApp;
let cwd: string;
beforeAll(async () => {
  c = await startTestApp({ programs: { sh: shell } });
  cwd = realpathSync(c.folder);
});
afterAll(() => c.close());

const { get, prompt, finished } = sessionsOf(() => c);
const start = (initialPrompt: string) =>
  c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted-acp', initialPrompt });
const messagesOf = async (sessionId: string) => (await c.client.call('sessions.messages', { sessionId })).data;
const texts = async (sessionId: string) =>
  (await messagesOf(sessionId)).flatMap(({ role, kind, parts }) =>
    role === 'agent' && kind === 'text' ? [String(parts[0]?.text)] : [],
  );
const callsOf = async (sessionId: string) =>
  (await messagesOf(sessionId)).flatMap(({ kind, parts }) => (kind === 'toolCall' ? [parts[0]] : []));
const terminalsOf = async (sessionId: string) =>
  (await get(sessionId)).workers.filter(({ type }) => type === 'terminal');

/**
 * Starts a session whose agent opens a terminal and waits for it. The terminal runs `line`, then the command `hold`.
 */
async function waiting(line: string) {
  const { id } = await start(`@terminal start a ${line}; hold\n@terminal wait a\n@say after`);
  const [terminal] = await c.until('the terminal', async () => {
    const found = await terminalsOf(id);
    return found[0]?.state === 'running' && found;
  });
  return { id, terminalId: terminal?.id ?? '' };
}

describe('a terminal of an agent', () => {
  it('runs a command, and is removed when it is released, with its output in its tool call', async () => {
    const { id } = await start('@run echo one; echo two');
    await finished(id);
    expect(await callsOf(id)).toMatchObject([
      {
        title: 'echo one; echo two',
        status: 'completed',
        content: [{ type: 'terminal', output: 'one\ntwo\n', truncated: false, exitCode: 0, signal: null }],
      },
    ]);
    expect(await terminalsOf(id)).toEqual([]);
    const [agent] = (await get(id)).workers;
    expect(readdirSync(join(c.home, 'workers')).filter((name) => name > (agent?.id ?? ''))).toEqual([]);
    await prompt(id, '@run exit 3');
    await finished(id);
    expect((await callsOf(id)).at(-1)).toMatchObject({ status: 'failed', content: [{ exitCode: 3 }] });
    expect(await texts(id)).toEqual(['error: exit status 3']);
  });

  it('is a live worker of the session, which people can read, until its agent releases it', async () => {
    const { id, terminalId } = await waiting('echo hello');
    const agentId = (await get(id)).workers.find(({ type }) => type === 'agent')?.id;
    expect(await terminalsOf(id)).toMatchObject([{ id: terminalId, agentWorkerId: agentId, state: 'running' }]);
    expect(await callsOf(id)).toMatchObject([{ content: [{ type: 'terminal', terminalId }] }]);
    await c.until('its output', async () =>
      JSON.stringify(await c.client.call('workers.output', { workerId: terminalId })).includes('hello'),
    );
    expect(await refusal(c.client.call('sessions.archive', { sessionId: id }))).toMatchObject({ code: 'CONFLICT' });
    expect(await c.client.call('workers.remove', { workerId: terminalId })).toMatchObject({ state: 'exited' });
    await finished(id);
    expect(await texts(id)).toEqual(['{"exitCode":null,"signal":"SIGHUP"}', 'after']);
    expect(await refusal(c.client.call('workers.restart', { workerId: terminalId }))).toMatchObject({
      code: 'UNSUPPORTED',
    });
    await prompt(id, '@terminal output a\n@terminal release a\n@terminal output a');
    await finished(id);
    const [output, gone] = (await texts(id)).slice(2);
    expect(JSON.parse(output ?? '')).toEqual({
      output: 'hello\r\n',
      truncated: false,
      exitStatus: { exitCode: null, signal: 'SIGHUP' },
    });
    expect(gone).toMatch(/^error: .*no such terminal/);
    expect(await terminalsOf(id)).toEqual([]);
  });

  it('is no longer in the session when its removal is reported', async () => {
    const { id } = await start('@run echo one');
    const left: unknown[] = [];
    await c.events(0, ({ type, data }) => {
      if (type !== 'worker.removed' || data.sessionId !== id) return false;
      left.push(terminalsOf(id));
      return true;
    });
    expect(await Promise.all(left)).toEqual([[]]);
    await finished(id);
  });

  it('is killed with its output, and answers a wait before it is released', async () => {
    const { id } = await start(
      '@terminal start a echo x; hold\n@terminal kill a\n@terminal wait a\n@terminal output a\n@terminal release a',
    );
    await finished(id);
    const [exit, output] = (await texts(id)).map((text) => JSON.parse(text));
    expect(exit).toEqual({ exitCode: null, signal: 'SIGHUP' });
    expect(output).toMatchObject({ output: 'x\r\n' });
  });

  it('gets the folder and the variables that its agent names, and otherwise those of every worker', async () => {
    mkdirSync(join(c.folder, 'sub'), { recursive: true });
    const line = 'pwd; env ADDED; env AGENT_CONSOLE_SESSION_ID; env AGENT_CONSOLE_WORKER_ID; env GIT_PAGER; env SECRET';
    const env = [
      { name: 'ADDED', value: 'yes' },
      { name: 'AGENT_CONSOLE_SESSION_ID', value: 'forged' },
    ];
    const request = JSON.stringify({ command: line, env, cwd: join(c.folder, 'sub') });
    const { id } = await start(`@terminal start a ${request}\n@terminal wait a\n@terminal release a`);
    await finished(id);
    const calls = await callsOf(id);
    const [part] = calls.flatMap((call) => call?.content as { output: string; terminalId: string }[]);
    expect(part?.output.trim().split('\n')).toEqual([
      join(cwd, 'sub'),
      'ADDED=yes',
      `AGENT_CONSOLE_SESSION_ID=${id}`,
      `AGENT_CONSOLE_WORKER_ID=${part?.terminalId}`,
      'GIT_PAGER=cat',
      'SECRET=undefined',
    ]);
  });

  it('passes arguments unchanged, and reports a program that does not exist', async () => {
    const { id } = await start(
      '@terminal start a {"command":"sh","args":["-c","echo a b"]}\n@terminal wait a\n@terminal output a\n@terminal start b {"command":"no-such-program","args":["x"]}',
    );
    await finished(id);
    const [, output, error] = await texts(id);
    expect(output).toContain('a b');
    expect(error).toMatch(/no-such-program is not installed/);
    expect(await terminalsOf(id)).toHaveLength(1);
  });

  it.each([
    ['outside by dots', () => `${cwd}/..`],
    ['absolute', () => '/'],
    ['the git directory', () => join(cwd, '.git')],
    ['a link that leads outside', () => join(cwd, 'link')],
  ])('does not start in a folder that is %s, and the refusal is audited', async (_, folder) => {
    mkdirSync(join(cwd, '.git'), { recursive: true });
    if (!readdirSync(cwd).includes('link')) symlinkSync('/', join(cwd, 'link'));
    const { id } = await start(`@terminal start a ${JSON.stringify({ command: 'pwd', cwd: folder() })}\n@say after`);
    await finished(id);
    expect(await texts(id)).toEqual([expect.stringContaining("Use a folder inside the session's directory"), 'after']);
    const { data } = await c.client.call('audit.list', { sessionId: id, outcome: 'error' });
    expect(data).toMatchObject([{ operation: 'terminal/create', outcome: 'PERMISSION_DENIED', surface: 'acp' }]);
    expect(await terminalsOf(id)).toEqual([]);
  });

  it('is refused above the limit, with advice, until another terminal is released', async () => {
    const lines = Array.from({ length: ACP_TERMINALS_MAX + 1 }, (_, at) => `@terminal start t${at} hold`);
    const { id } = await start([...lines, '@terminal release t0', '@terminal start again hold'].join('\n'));
    await finished(id);
    expect(await texts(id)).toEqual([expect.stringContaining('Release one first')]);
    expect(await terminalsOf(id)).toHaveLength(ACP_TERMINALS_MAX);
    const { data } = await c.client.call('audit.list', { sessionId: id, outcome: 'error' });
    expect(data).toMatchObject([{ operation: 'terminal/create', outcome: 'LIMIT_EXCEEDED' }]);
    await c.client.call('sessions.stop', { sessionId: id });
    expect(await terminalsOf(id)).toEqual([]);
  });

  it.each([
    [5, 'éé', true],
    [6, 'ééé', true],
    [20, 'é'.repeat(10), false],
    [0, '', true],
  ])('returns the newest %i bytes of its output, in whole characters', async (outputByteLimit, output, truncated) => {
    const request = JSON.stringify({ command: 'many 10', outputByteLimit });
    const { id } = await start(`@terminal start a ${request}\n@terminal wait a\n@terminal output a`);
    await finished(id);
    expect(JSON.parse((await texts(id))[1] ?? '')).toMatchObject({ output, truncated });
  });

  it('returns no more output than fits into one answer, and shows its end', async () => {
    const { id } = await start(
      '@terminal start a many 300000\n@terminal wait a\n@terminal output a\n@terminal release a',
    );
    await finished(id);
    const { output, truncated } = JSON.parse((await texts(id))[1] ?? '');
    expect({ truncated, bytes: Buffer.byteLength(output) }).toEqual({ truncated: true, bytes: 128 * 1024 });
    expect((await callsOf(id))[0]?.content).toMatchObject([{ truncated: true, output: 'é'.repeat(16 * 1024) }]);
  });

  it('cannot be used by another agent', async () => {
    const { id, terminalId } = await waiting('echo mine');
    const ask = (method: string, at: number) =>
      `@raw {"jsonrpc":"2.0","id":${at},"method":"terminal/${method}","params":{"sessionId":"x","terminalId":"${terminalId}"}}`;
    const other = await start([ask('kill', 1), ask('release', 2), ask('output', 3), '@say after'].join('\n'));
    await finished(other.id);
    expect(await terminalsOf(id)).toMatchObject([{ state: 'running' }]);
    await c.client.call('sessions.stop', { sessionId: id });
  });

  it.each(['stop', 'pause'] as const)('ends with its agent when the session is told to %s', async (how) => {
    const { id, terminalId } = await waiting(`echo until ${how}`);
    await c.client.call(`sessions.${how}`, { sessionId: id });
    expect(c.runner.lives(terminalId)).toBe(false);
    expect(await terminalsOf(id)).toEqual([]);
    expect(await callsOf(id)).toMatchObject([{ content: [{ output: `until ${how}\n` }] }]);
    await c.client.call('sessions.archive', { sessionId: id });
  });

  it('ends with an agent that crashes', async () => {
    const { id } = await start('@terminal start a echo x; hold\n@crash');
    await c.until('the end', async () => {
      const { workers } = await get(id);
      return workers.length === 1 && workers[0]?.state === 'exited';
    });
    expect(await callsOf(id)).toMatchObject([{ content: [{ output: 'x\n', signal: 'SIGHUP' }] }]);
  });

  it('keeps running while the server restarts, and its agent still learns of its end', async () => {
    const { id, terminalId } = await waiting('echo once');
    const [agent] = (await get(id)).workers;
    await c.restart();
    expect(c.runner.lives(terminalId)).toBe(true);
    await c.client.call('workers.remove', { workerId: terminalId });
    await finished(id);
    expect(await texts(id)).toEqual(['{"exitCode":null,"signal":"SIGHUP"}', 'after']);
    expect(runs.get('echo once; hold')).toBe(1);
    c.runner.kill(agent?.id ?? '');
    await c.until('its removal', async () => (await terminalsOf(id)).length === 0);
    expect(await callsOf(id)).toMatchObject([{ content: [{ output: 'once\n' }] }]);
  });

  it('is removed by the next server if its agent ended while no server ran', async () => {
    const { id, terminalId } = await waiting('echo left');
    const agent = (await get(id)).workers.find(({ type }) => type === 'agent');
    const restarted = c.restart();
    c.runner.kill(agent?.id ?? '');
    await restarted;
    await c.until('its removal', async () => (await terminalsOf(id)).length === 0);
    expect(c.runner.lives(terminalId)).toBe(false);
    expect(await callsOf(id)).toMatchObject([{ content: [{ output: 'left\n' }] }]);
  });

  it('runs each command once, however often the server restarts meanwhile', async () => {
    const names = Array.from({ length: 8 }, (_, at) => `echo step ${at}`);
    const { id } = await start(names.map((name) => `@run ${name}`).join('\n'));
    while ((await get(id)).status === 'running') await c.restart();
    await finished(id);
    expect(names.map((name) => runs.get(name))).toEqual(names.map(() => 1));
    const outputs = (await callsOf(id)).map((call) => call?.content);
    expect(outputs).toMatchObject(names.map((_, at) => [{ output: `step ${at}\n`, exitCode: 0 }]));
    expect(await terminalsOf(id)).toEqual([]);
  });
});

describe('a terminal that the agent runs itself', () => {
  const updates = (...all: object[]) => all.map((update) => `@update ${JSON.stringify(update)}`).join('\n');
  const call = (fields: object) => ({ sessionUpdate: 'tool_call_update', toolCallId: 't', ...fields });
  const printed = (data: string) => call({ _meta: { terminal_output: { terminal_id: 'own', data } } });
  const shown = [{ type: 'terminal', terminalId: 'own' }];
  const callOf = async (sessionId: string) =>
    (await c.client.call('sessions.messages', { sessionId })).data.find(({ kind }) => kind === 'toolCall')?.parts[0];

  it('has its output in its tool call, and how it ended', async () => {
    const { id } = await start(
      updates(
        { ...call({ title: 'npm test', kind: 'execute', content: shown }), sessionUpdate: 'tool_call' },
        printed('one\r\n\x1b[3'),
        printed('1mtwo\x1b[0m\r\n'),
        call({ status: 'completed', content: shown, _meta: { terminal_exit: { terminal_id: 'own', exit_code: 3 } } }),
      ),
    );
    await finished(id);
    expect(await callOf(id)).toMatchObject({
      status: 'completed',
      content: [{ ...shown[0], output: 'one\ntwo\n', truncated: false, exitCode: 3, signal: null }],
    });
  });

  it('is shown even if the agent does not name it, with only the end of a long output', async () => {
    const long = `${'x'.repeat(ACP_TERMINAL_STORED_BYTES)}end`;
    const { id } = await start(updates(call({ title: 'cat', kind: 'read' }), printed('begin '), printed(long)));
    await finished(id);
    const output = expect.stringMatching(/^x+end$/);
    expect(await callOf(id)).toMatchObject({ content: [{ terminalId: 'own', output, truncated: true }] });
  });

  it('has an empty output at first, so that clients do not look for a worker', async () => {
    const { id } = await start(updates(call({ title: 'ls', kind: 'execute', content: shown })));
    await finished(id);
    expect(await callOf(id)).toMatchObject({ content: [{ ...shown[0], output: '' }] });
  });
});
