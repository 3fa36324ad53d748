import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PermissionMode } from '@agent-console/shared/models/session';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actAs, startRoot, transcriptOf } from '../e2e/support/root.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal, resultOf } from '../support/calling.ts';
import { cat } from '../support/memory-runner/programs.ts';

/**
 * The part of Codex's `--help` that lists the approval policies. Newer versions of Codex have fewer policies than older
 * ones.
 */
const HELP = { older: 'untrusted, on-failure, on-request, never', newer: 'on-request, never' };

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp({ programs: { 'my-claude': cat, 'my-gemini': cat, 'my-codex': cat, 'new-codex': cat } });
  for (const [id, kind, help] of [
    ['my-claude', 'claude-code', ''],
    ['my-gemini', 'gemini', ''],
    ['my-codex', 'codex', HELP.older],
    ['new-codex', 'codex', HELP.newer],
  ] as const) {
    await c.client.call('agents.create', { id, name: id, kind, command: [stayingProgram(id, help)] });
  }
});
afterAll(() => c.close());

/** Writes a program that prints its version or help if asked, and otherwise keeps running. Returns its path. */
function stayingProgram(name: string, help: string): string {
  const path = join(c.folder, name);
  const answers = `case "$1" in --help) echo '${help}'; exit;; --version) echo 1.2.3; exit;; esac`;
  writeFileSync(path, `#!/bin/sh\n${answers}\ncat\nexit 0\n`);
  chmodSync(path, 0o755);
  return path;
}

type Fields = { permissionMode?: PermissionMode; permissionCeiling?: PermissionMode; visibility?: 'private' };

const create = (agentId: string, fields: Fields = {}) =>
  c.client.call('sessions.create', { cwd: c.folder, agentId, ...fields });
const update = (sessionId: string, fields: Fields, client = c.client) =>
  client.call('sessions.update', { sessionId, ...fields });
const configOf = async (sessionId: string) => (await c.client.call('sessions.get', { sessionId })).permissionConfig;
const prompt = (sessionId: string, text: string) => c.client.call('sessions.prompt', { sessionId, prompt: text });
const finished = (sessionId: string) => c.client.call('sessions.wait', { sessionId, timeoutSeconds: 45 });
const agentsOf = async (sessionId: string) =>
  (await c.client.call('sessions.workers', { sessionId })).data.filter((worker) => worker.type === 'agent');
const changesOf = async (sessionId: string) =>
  (await c.client.call('sessions.events', { sessionId })).data.filter(({ type }) => type === 'session.updated');

/**
 * Ends the running agent of a session and starts a new one. Resolves to the values of these options on the new agent's
 * command line.
 */
async function startedWith(sessionId: string, ...options: string[]): Promise<(string | undefined)[]> {
  for (const { id, state } of await agentsOf(sessionId)) {
    if (state === 'running') await c.client.call('workers.remove', { workerId: id });
  }
  const { id } = await c.client.call('workers.create', { sessionId, type: 'agent' });
  const { args } = c.runner.specOf(id);
  return options.map((option) => (args.includes(option) ? args[args.indexOf(option) + 1] : undefined));
}

/** Creates a session whose scripted agent is idle after one turn. */
async function idleAgent(fields: Fields = {}) {
  const { id } = await create('scripted', fields);
  await prompt(id, '@say first');
  await finished(id);
  const [worker] = await agentsOf(id);
  if (worker === undefined) throw new Error('no agent');
  return { sessionId: id, workerId: worker.id, client: actAs(c, id, worker.id).client };
}

describe('a new session', () => {
  it.each(['claude-code', 'codex', 'gemini'])(
    'accepts each of the eight modes for %s and returns both modes',
    async (kind) => {
      const agentId = `my-${kind.split('-')[0]}`;
      for (const permissionMode of PermissionMode.options) {
        const { permissionConfig } = await create(agentId, { permissionMode });
        const { modes } = await c.client.call('agents.get', { id: agentId });
        const mode = modes.find(({ requested }) => requested === permissionMode)?.effective;
        const shown = { requestedMode: permissionMode, ceiling: permissionMode, applies: 'now', allowedTools: [] };
        expect(permissionConfig).toEqual({ mode, ...shown });
      }
      const error = await refusal(create(agentId, { permissionMode: 'yolo2' as PermissionMode }));
      expect(error.code).toBe('VALIDATION');
      for (const option of PermissionMode.options) expect(error.message).toContain(option);
    },
  );

  it('starts with the default of its agent, or below it if its ceiling is lower', async () => {
    const modeOf = async (agentId: string, fields?: Fields) => (await create(agentId, fields)).permissionConfig;
    expect(await modeOf('my-codex')).toMatchObject({ mode: 'auto', requestedMode: null, ceiling: 'auto' });
    expect(await modeOf('my-claude')).toMatchObject({ mode: 'acceptEdits', ceiling: 'acceptEdits' });
    expect(await modeOf('my-gemini')).toMatchObject({ mode: 'acceptEdits', ceiling: 'acceptEdits' });
    expect(await modeOf('my-claude', { permissionCeiling: 'plan' })).toMatchObject({ mode: 'plan', ceiling: 'plan' });
    expect(await modeOf('my-claude', { permissionCeiling: 'allow-all' })).toMatchObject({
      mode: 'acceptEdits',
      ceiling: 'allow-all',
    });
    const above = await refusal(create('my-claude', { permissionMode: 'auto', permissionCeiling: 'ask' }));
    expect(above).toMatchObject({ code: 'VALIDATION', details: { field: 'permissionMode' } });
  });
});

it('the options of a session name the modes of its agent for people', async () => {
  const { id: sessionId } = await create('my-claude', { permissionMode: 'acceptEdits' });
  const { options } = await c.client.call('sessions.options', { sessionId });
  expect(options).toMatchObject([{ id: 'mode', category: 'mode', current: 'acceptEdits' }]);
  expect(options[0]?.values.map(({ id, name }) => [id, name])).toEqual([
    ['default', 'Default'],
    ['acceptEdits', 'Accept edits'],
    ['bypassPermissions', 'Bypass permissions'],
    ['plan', 'Plan'],
  ]);
});

describe('the command of an agent', () => {
  it.each([
    ['my-claude', 'default', 'default'],
    ['my-claude', 'acceptEdits', 'acceptEdits'],
    ['my-claude', 'bypassPermissions', 'bypassPermissions'],
    ['my-claude', 'plan', 'plan'],
    ['my-claude', 'ask', 'default'],
    ['my-claude', 'allow-all', 'bypassPermissions'],
  ] as const)('of %s in mode %s contains --permission-mode %s', async (agentId, permissionMode, native) => {
    expect(await startedWith((await create(agentId, { permissionMode })).id, '--permission-mode')).toEqual([native]);
  });

  it.each([
    ['default', 'default'],
    ['acceptEdits', 'auto_edit'],
    ['bypassPermissions', 'yolo'],
    ['plan', 'default'],
  ] as const)('of Gemini in mode %s contains --approval-mode %s', async (permissionMode, native) => {
    expect(await startedWith((await create('my-gemini', { permissionMode })).id, '--approval-mode')).toEqual([native]);
  });

  it.each([
    ['my-codex', 'ask', 'read-only', 'untrusted', 'ask'],
    ['my-codex', 'auto', 'workspace-write', 'on-request', 'auto'],
    ['my-codex', 'on-failure', 'workspace-write', 'on-failure', 'on-failure'],
    ['my-codex', 'allow-all', 'workspace-write', 'never', 'allow-all'],
    ['new-codex', 'ask', 'read-only', 'on-request', 'ask'],
    ['new-codex', 'on-failure', 'workspace-write', 'on-request', 'auto'],
  ] as const)('of %s in mode %s contains %s and %s, and %s is returned', async (agentId, permissionMode, ...said) => {
    const [sandbox, approval, effective] = said;
    const { id } = await create(agentId, { permissionMode });
    expect(await startedWith(id, '--sandbox', '--ask-for-approval')).toEqual([sandbox, approval]);
    expect(await configOf(id)).toMatchObject({ mode: effective, requestedMode: permissionMode, applies: 'now' });
  });

  it("of Codex has the changed mode at its next start, and the person's configuration is unchanged", async () => {
    const config = join(c.env.HOME ?? '', '.codex', 'config.toml');
    const text = '# mine\nmodel = "some"\nsandbox_mode = "danger-full-access"\napproval_policy = "never"\n';
    mkdirSync(join(c.env.HOME ?? '', '.codex'), { recursive: true });
    writeFileSync(config, text);
    const { id } = await create('my-codex', { permissionMode: 'ask' });
    const flags = ['--sandbox', '--ask-for-approval'];
    expect(await startedWith(id, ...flags)).toEqual(['read-only', 'untrusted']);
    const answer = await update(id, { permissionMode: 'allow-all' });
    expect(answer.permissionConfig).toMatchObject({ mode: 'allow-all', ceiling: 'allow-all', applies: 'nextTask' });
    expect(await startedWith(id, ...flags)).toEqual(['workspace-write', 'never']);
    expect(readFileSync(config, 'utf8')).toBe(text);
  });
});

describe('a changed mode', () => {
  it('does not affect the current turn and applies from the next prompt on, in the same conversation', async () => {
    const { sessionId, workerId } = await idleAgent();
    const { taskId } = await prompt(sessionId, '@ask go on?');
    await c.client.call('sessions.wait', { sessionId, until: 'asking', timeoutSeconds: 45 });
    const { permissionConfig } = await update(sessionId, { permissionMode: 'ask' });
    expect(permissionConfig).toMatchObject({ mode: 'ask', requestedMode: 'ask', applies: 'nextTask' });
    await prompt(sessionId, '@recall 1');
    expect((await agentsOf(sessionId)).map(({ id }) => id)).toEqual([workerId]);
    await c.client.call('workers.input', { workerId, data: 'y\r' });
    await finished(sessionId);
    expect(await c.client.call('tasks.get', { taskId })).toMatchObject({ status: 'completed' });
    const agents = await agentsOf(sessionId);
    expect(agents.map(({ state }) => state)).toEqual(['exited', 'running']);
    expect(await configOf(sessionId)).toMatchObject({ mode: 'ask', applies: 'now' });
    const heard = transcriptOf(c, sessionId).filter(({ role }) => role === 'user');
    expect(heard.map(({ text }) => text)).toEqual(['@say first', '@ask go on?', '@recall 1']);
  });

  it('that is the same for the agent restarts nothing', async () => {
    const { sessionId, workerId } = await idleAgent();
    expect((await update(sessionId, { permissionMode: 'acceptEdits' })).permissionConfig.applies).toBe('now');
    await prompt(sessionId, '@say second');
    await finished(sessionId);
    expect((await agentsOf(sessionId)).map(({ id }) => id)).toEqual([workerId]);
  });

  it("waits for a person's unfinished line, and for the person's prompt to continue", async () => {
    const { sessionId, workerId } = await idleAgent();
    await c.client.call('workers.input', { workerId, data: 'half a li' });
    await update(sessionId, { permissionMode: 'ask' });
    const { taskId } = await prompt(sessionId, '@say second');
    const held = await c.until('a held prompt', async () => {
      const task = await c.client.call('tasks.get', { taskId });
      return task.blocked !== null && task;
    });
    expect(held).toMatchObject({ status: 'queued', blocked: 'a person is typing in the terminal' });
    expect((await agentsOf(sessionId)).map(({ state }) => state)).toEqual(['running']);
    await c.client.call('tasks.sendNow', { taskId });
    await finished(sessionId);
    expect((await agentsOf(sessionId)).map(({ state }) => state)).toEqual(['exited', 'running']);
    expect(await c.client.call('tasks.get', { taskId })).toMatchObject({ status: 'completed', blocked: null });
  });

  it('applies before notices too, which arrive in the restarted agent', async () => {
    const root = await startRoot(c, { title: 'Told' });
    await update(root.sessionId, { permissionMode: 'ask' });
    await root.client.call('delegations.create', { agentId: 'scripted', prompt: '@report succeeded all done' });
    await c.until('the notice', async () => {
      const { data } = await c.client.call('sessions.notices', { sessionId: root.sessionId });
      return data[0]?.state === 'delivered';
    });
    expect((await agentsOf(root.sessionId)).map(({ state }) => state)).toEqual(['exited', 'running']);
    const told = transcriptOf(c, root.sessionId).filter(({ text }) => text?.includes('all done'));
    expect(told.filter(({ role }) => role === 'user')).toHaveLength(1);
  });

  it('of an agent that cannot resume is reported to apply at the next start', async () => {
    await c.client.call('agents.create', { id: 'plain', name: 'Plain', command: ['cat'] });
    const { id: sessionId } = await create('plain');
    await c.client.call('workers.create', { sessionId, type: 'agent' });
    const answer = await update(sessionId, { permissionMode: 'ask' });
    expect(answer.permissionConfig).toMatchObject({ mode: 'ask', applies: 'nextStart' });
    await c.client.call('sessions.stop', { sessionId });
    expect((await configOf(sessionId)).applies).toBe('now');
  });
});

describe('an agent', () => {
  it('can raise its mode up to its ceiling, which is recorded, and not above', async () => {
    const { sessionId, workerId, client } = await idleAgent({ permissionMode: 'default', permissionCeiling: 'auto' });
    const answer = await update(sessionId, { permissionMode: 'acceptEdits' }, client);
    expect(answer.permissionConfig).toMatchObject({ mode: 'acceptEdits', ceiling: 'auto', applies: 'nextTask' });
    const [event] = await changesOf(sessionId);
    expect(event).toMatchObject({ actor: `session:${sessionId}`, viaSessionId: sessionId });
    expect(event?.data.permission).toEqual({
      before: { mode: 'default', requested: 'default', ceiling: 'auto' },
      after: { mode: 'acceptEdits', requested: 'acceptEdits', ceiling: 'auto' },
    });
    const denied = await refusal(update(sessionId, { permissionMode: 'allow-all' }, client));
    expect(denied).toMatchObject({ code: 'PERMISSION_DENIED', details: { mode: 'allow-all', ceiling: 'auto' } });
    expect(denied.message).toContain('ceiling auto');
    const ceiling = await refusal(update(sessionId, { permissionCeiling: 'plan' }, client));
    expect(ceiling).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(ceiling.message).toContain('Only people');
    expect(await configOf(sessionId)).toMatchObject({ mode: 'acceptEdits', ceiling: 'auto' });
    expect((await agentsOf(sessionId))[0]?.id).toBe(workerId);
  });

  it('cannot set the ceiling of a session that it creates', async () => {
    const root = await startRoot(c);
    const { worktreeId } = await root.client.call('delegations.create', { agentId: 'scripted', prompt: '@say hello' });
    const creation = root.client.call('sessions.create', { worktreeId, permissionCeiling: 'plan' });
    expect(await refusal(creation)).toMatchObject({
      code: 'PERMISSION_DENIED',
      details: { field: 'permissionCeiling' },
    });
  });

  it('gets no session above its ceiling for the commands of a worktree that it created', async () => {
    const repositoryId = c.repository.id;
    await c.client.call('repositories.update', { repositoryId, checkCommand: 'true' });
    const root = await startRoot(c);
    await update(root.sessionId, { permissionCeiling: 'plan', visibility: 'private' });
    const creation = { repositoryId, mode: 'custom', branch: 'own', wait: true } as const;
    const { worktree } = await root.client.call('worktrees.create', creation);
    const worktreeId = worktree?.id ?? '';
    await resultOf(root.client.call('worktrees.check', { worktreeId, wait: true }));
    const { data } = await c.client.call('sessions.list', { worktreeId });
    expect(data).toMatchObject([
      { permissionConfig: { mode: 'plan', ceiling: 'plan' }, visibility: 'private', depth: 1 },
    ]);
  });

  it('can change its own session and its descendants, no others', async () => {
    const root = await startRoot(c);
    const child = await root.client.call('delegations.create', { agentId: 'scripted', prompt: '@say hello' });
    expect((await update(child.sessionId, { permissionMode: 'ask' }, root.client)).permissionConfig.mode).toBe('ask');
    const { id: other } = await create('scripted');
    expect(await refusal(update(other, { permissionMode: 'ask' }, root.client))).toMatchObject({
      code: 'PERMISSION_DENIED',
    });
  });
});

describe('a ceiling', () => {
  it('that is lowered also lowers the mode, and every descendant', async () => {
    const root = await startRoot(c);
    await update(root.sessionId, { permissionMode: 'allow-all' });
    const made = await root.client.call('delegations.create', { agentId: 'scripted', prompt: '@say hello' });
    const child = made.sessionId;
    expect(await configOf(child)).toMatchObject({ mode: 'allow-all', requestedMode: null, ceiling: 'allow-all' });
    await update(root.sessionId, { permissionCeiling: 'auto' });
    const low = { mode: 'auto', requestedMode: 'auto', ceiling: 'auto' };
    expect(await configOf(root.sessionId)).toMatchObject(low);
    expect(await configOf(child)).toMatchObject(low);
    const [lowered] = await changesOf(child);
    expect(lowered?.data.permission).toMatchObject({ before: { mode: 'allow-all' }, loweredBy: root.sessionId });
    const above = await refusal(update(child, { permissionMode: 'on-failure' }));
    expect(above).toMatchObject({ code: 'PERMISSION_DENIED', details: { sessionId: root.sessionId } });
    await update(root.sessionId, { permissionCeiling: 'allow-all' });
    expect((await update(child, { permissionMode: 'on-failure' })).permissionConfig).toMatchObject({
      mode: 'on-failure',
      ceiling: 'on-failure',
    });
  });

  it('can be set together with a title, and an update without fields or with unknown ones is rejected', async () => {
    const { id: sessionId } = await create('scripted');
    const fields = { sessionId, title: 'Review', permissionMode: 'default', permissionCeiling: 'plan' } as const;
    const answer = await c.client.call('sessions.update', fields);
    expect(answer).toMatchObject({ title: 'Review', permissionConfig: { mode: 'default', ceiling: 'plan' } });
    const nothing = await refusal(c.client.call('sessions.update', { sessionId }));
    expect(nothing).toMatchObject({ code: 'VALIDATION', message: expect.stringContaining('At least one field') });
    const unknown = await refusal(c.client.call('sessions.update', { sessionId, mode: 'plan' } as never));
    expect(unknown).toMatchObject({ code: 'VALIDATION', message: expect.stringContaining('mode') });
  });
});
