import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI_IDS, CLIS, type CliId, versionOf } from './harness/clis.ts';
import { asking, running } from './scripts.ts';
import { openWorld, type World } from './world.ts';

/**
 * Files in the common git directory that a sandboxed agent must not be able to create. Git may run commands from them,
 * or they belong to other worktrees.
 */
const KEPT = [
  'config.x',
  'hooks/post-commit',
  'info/attributes',
  'packed-refs.x',
  'refs/tags/x',
  'worktrees/x',
  'HEAD.x',
];
const PROBE = [
  `for name in ${KEPT.join(' ')}; do (: > "$(git rev-parse --git-common-dir)/$name") 2>/dev/null && echo $name >> open.txt; done`,
  '(: >> "$(git rev-parse --git-common-dir)/config") 2>/dev/null && echo config >> open.txt',
  'echo tried > tried.txt; git add --all && git commit --quiet -m probed && git log -1 --format=made:%s',
].join('\n');

for (const agentId of CLI_IDS) {
  const version = versionOf(agentId);
  if (version === null) console.warn(`SKIPPED: ${CLIS[agentId].name} is not installed or does not start here`);

  describe.skipIf(version === null)(CLIS[agentId].name, () => {
    let w: World;
    beforeAll(async () => {
      const write = (name: string) => `node -e "fs.writeFileSync('${name}.txt', '')"`;
      w = await openWorld([
        ...asking(agentId),
        running(agentId, 'please write plum', write('plum')),
        running(agentId, 'please probe', PROBE),
      ]);
    });
    afterAll(() => w.close());

    it('asks in mode default, and no longer after a change to bypassPermissions in the same conversation', async () => {
      const { sessionId, path } = await open(w, agentId);
      await w.c.client.call('sessions.prompt', { sessionId, prompt: 'please make cherry' });
      const asked = await w.until('a question', async () => {
        const agent = await agentOf(w, sessionId);
        return agent?.activityState === 'asking' && agent;
      });
      expect(existsSync(join(path, 'cherry.txt'))).toBe(false);
      // Reads the file only now, because Codex writes to it at its first start.
      const config = join(w.c.env.HOME ?? '', '.codex', 'config.toml');
      const before = readFileSync(config, 'utf8');
      const change = { sessionId, permissionMode: 'bypassPermissions' } as const;
      const { permissionConfig } = await w.c.client.call('sessions.update', change);
      expect(permissionConfig).toMatchObject({ requestedMode: 'bypassPermissions', applies: 'nextTask' });
      await w.c.client.call('sessions.prompt', { sessionId, prompt: 'please write plum' });
      expect((await agentOf(w, sessionId))?.id).toBe(asked.id);
      await w.until('the answer', () => w.allow(agentId, asked.id));
      await w.until('the work without a question', async () => existsSync(join(path, 'plum.txt')));
      expect(existsSync(join(path, 'cherry.txt'))).toBe(true);
      expect((await agentOf(w, sessionId))?.id).not.toBe(asked.id);
      expect((await w.c.client.call('sessions.get', { sessionId })).permissionConfig.applies).toBe('now');
      expect(w.heard('please write plum')[0]?.raw).toContain('please make cherry');
      expect(readFileSync(config, 'utf8')).toBe(before);
    });

    if (agentId === 'codex')
      it('commits in its worktree, but writes no hook, configuration or foreign branch', async () => {
        // Without these settings, the sandbox of Codex allows writing everywhere below the temporary folder, where the
        // repository is.
        appendFileSync(
          join(w.c.env.HOME ?? '', '.codex', 'config.toml'),
          '[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n',
        );
        const { sessionId, path } = await open(w, agentId, 'allow-all');
        await w.c.client.call('sessions.prompt', { sessionId, prompt: 'please probe' });
        await w.until('the commit', async () => w.heard('made:probed').length > 0);
        expect(w.c.git(['show', '--name-only', '--format=%s', 'HEAD'], path)).toBe('probed\n\ntried.txt');
      });
  });
}

/** Creates a session in its own worktree. Returns the id of the session and the path of the worktree. */
async function open(w: World, agentId: CliId, permissionMode: 'default' | 'allow-all' = 'default') {
  const branch = `${agentId}-${permissionMode}`;
  const { jobId } = await w.c.client.call('worktrees.create', {
    repositoryId: w.c.repository.id,
    mode: 'custom',
    branch,
  });
  const { result } = await w.until('a worktree', async () => {
    const job = await w.c.client.call('jobs.get', { jobId });
    return job.state === 'succeeded' && job;
  });
  const worktreeId = String(result?.worktreeId);
  const { id } = await w.c.client.call('sessions.create', { worktreeId, agentId, permissionMode });
  return { sessionId: id, path: String(result?.worktreePath) };
}

async function agentOf(w: World, sessionId: string) {
  const { data } = await w.c.client.call('sessions.workers', { sessionId });
  return data.findLast((worker) => worker.type === 'agent');
}
