import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIS, versionOf } from './harness/clis.ts';
import type { Step } from './harness/model-server.mjs';
import { running } from './scripts.ts';
import { openWorld, type World } from './world.ts';

const agentId = 'claude-code';
const version = versionOf(agentId);
if (version === null) console.warn(`SKIPPED: ${CLIS[agentId].name} is not installed or does not start here`);

/** Branch of the orchestrator's worktree, into which it integrates the work of the other agents. */
const HOME_BRANCH = 'home';
const ID = '[0-9a-f-]{36}';
const cleanup = { removeWorktree: true, deleteBranch: true, archiveSessions: true };
const commit = (message: string) => `git add -A && git commit -q -m ${message} && git log -1 --format=made:%s`;

/** Returns a step that the orchestrator's model takes once. `when` usually matches the result of the previous step. */
const then = (when: string, name: string, input: Record<string, unknown>): Step => ({
  when,
  once: true,
  keep: true,
  text: 'Next.',
  tool: { name, input },
});
const delegate = (when: string, name: string) =>
  then(when, 'delegate_to_worktree', {
    branch: name,
    baseBranch: HOME_BRANCH,
    title: name,
    prompt: `please commit ${name}`,
  });
const made = (name: string) => `"sessionId": ?"(?<${name}Session>${ID})".*"worktreeId": ?"(?<${name}>${ID})"`;
const integrate = (when: string, worktreeId: string, options: object) =>
  then(when, 'integrate_worktree', { worktreeId, ...options });
const INTEGRATED = '"integrationId".*"commit": ?"[0-9a-f]{40}"';

const ORCHESTRATOR: readonly Step[] = [
  delegate('please bring it all home', 'one'),
  delegate(made('one'), 'two'),
  delegate(made('two'), 'three'),
  { when: made('three'), once: true, keep: true, text: 'Delegated.' },
  integrate('conflict session', '{{one}}', { cleanup }),
  integrate(INTEGRATED, '{{two}}', { resolve: true }),
  then(`"commit": ?null.*"resolvingSessionId": ?"(?<resolver>${ID})"`, 'get_session_status', {
    sessionId: '{{resolver}}',
  }),
  { when: `"worktreeId": ?"(?<resolved>${ID})"`, once: true, keep: true, text: 'I wait for the resolution.' },
  then('ended session [^\\n]*Resolve conflicts', 'check_worktree', { worktreeId: '{{resolved}}' }),
  integrate('"passed": ?true', '{{resolved}}', { requireCheck: true, cleanup }),
  then(INTEGRATED, 'wait_for_session', { sessionId: '{{threeSession}}' }),
  integrate('"stillRunning": ?false', '{{three}}', { strategy: 'squash', cleanup }),
  integrate(INTEGRATED, '{{two}}', { cleanup }),
  { when: INTEGRATED, once: true, text: 'Everything is home.' },
];

const WORKERS: readonly Step[] = [
  running(
    agentId,
    'cannot be integrated into home',
    `git merge ${HOME_BRANCH}; printf 'one\\ntwo\\n' > shared.txt; ${commit('resolved')}`,
  ),
  running(agentId, '^(?!.*agent-console).*please commit three', `echo three > three.txt && ${commit('three')}`),
  running(
    agentId,
    '^(?!.*agent-console).*please commit (?<name>one|two)',
    `echo {{name}} > shared.txt && ${commit('{{name}}')}`,
  ),
  {
    when: 'made:(?<name>[a-z]+)',
    text: 'Committed.',
    tool: { name: 'report_result', input: { outcome: 'succeeded', summary: '{{name}} is committed' } },
  },
];

describe.skipIf(version === null)(`${CLIS[agentId].name} as an orchestrator`, () => {
  let w: World;
  beforeAll(async () => {
    w = await openWorld([...ORCHESTRATOR, ...WORKERS]);
  });
  afterAll(async () => {
    await w.stopAgents();
    await w.close();
  });

  it('integrates the work of three agents by itself, and a conflict that a fourth agent resolves', async () => {
    const { client, repository } = w.c;
    const repositoryId = repository.id;
    await client.call('repositories.update', { repositoryId, checkCommand: 'grep -q one shared.txt' });
    const fields = { repositoryId, mode: 'custom', branch: HOME_BRANCH, wait: true } as const;
    const { worktree } = await client.call('worktrees.create', fields);
    const root = await client.call('sessions.create', {
      worktreeId: worktree?.id ?? '',
      agentId,
      permissionMode: 'bypassPermissions',
      initialPrompt: 'please bring it all home',
    });
    await w.until('the end', async () => {
      const { data } = await client.call('integrations.list', { repositoryId });
      return data.filter(({ state }) => state === 'integrated').length === 4;
    });
    await w.until(
      'its last words',
      async () => (await client.call('sessions.get', { sessionId: root.id })).status === 'idle',
    );

    const { data } = await client.call('integrations.list', { repositoryId });
    expect(data.map(({ branch, into, state }) => `${branch} ${into} ${state}`).reverse()).toEqual([
      'one home integrated',
      'two home conflicts',
      expect.stringMatching(/^two-resolved-\w+ home integrated$/),
      'three home integrated',
      'two home integrated',
    ]);
    expect(data.flatMap((each) => each.cleanup?.problems ?? [])).toEqual([]);
    expect(w.c.git(['show', `${HOME_BRANCH}:shared.txt`])).toBe('one\ntwo');
    expect(w.c.git(['show', `${HOME_BRANCH}:three.txt`])).toBe('three');
    expect(w.c.git(['status', '--porcelain'], worktree?.path)).toBe('');
    expect(w.c.git(['branch', '--format=%(refname:short)']).split('\n').sort()).toEqual([HOME_BRANCH, 'main']);
    // The first prompt is the only input by a person.
    const { tasks } = await client.call('sessions.get', { sessionId: root.id });
    expect(tasks.filter(({ source }) => source.kind === 'person')).toHaveLength(1);
    const { data: notices } = await client.call('sessions.notices', { sessionId: root.id });
    expect(notices.filter(({ kind }) => kind === 'conflict')).toHaveLength(1);
  });
});
