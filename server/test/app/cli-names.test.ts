import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '@agent-console/shared/errors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programOf } from '../../src/surfaces/cli/completion/completion.ts';
import { addPerson } from '../e2e/support/people.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';
import { runInProcess } from '../support/cli.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const run = (...args: string[]) => runInProcess(['--url', c.baseUrl, ...args], { PATH: process.env.PATH ?? '' });

async function session(title: string) {
  return c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted', title });
}

describe('names instead of ids', () => {
  it('finds a session by its title in any case, by its beginning, and by its id first', async () => {
    const login = await session('Fix the login');
    const flow = await session('Fix the login flow');
    const named = await session(login.id.slice(0, 18));
    const idOf = async (name: string) =>
      (JSON.parse((await run('sessions', 'get', name, '--json')).out) as { id: string }).id;
    expect(await idOf('fix the LOGIN')).toBe(login.id);
    expect(await idOf('Fix the login f')).toBe(flow.id);
    expect(await idOf(named.title)).toBe(login.id);
    const several = await run('sessions', 'get', 'fix');
    expect(several.code).toBe(ERRORS.AMBIGUOUS_ID.exit);
    for (const { id } of [login, flow]) expect(several.err).toContain(id.slice(0, 18));
    expect(await run('sessions', 'get', 'Nothing')).toMatchObject({
      code: ERRORS.NOT_FOUND.exit,
      err: 'NOT_FOUND: Session "Nothing" not found\n',
    });
    // If several sessions have the same title, the title names the one that is not archived.
    await c.client.call('sessions.archive', { sessionId: login.id });
    const again = await session('Fix the login');
    expect(await idOf('Fix the login')).toBe(again.id);
  });

  it('finds a session by the branch of its worktree, unless several sessions work there', async () => {
    const { worktree } = await c.client.call('worktrees.create', {
      repositoryId: c.repository.id,
      mode: 'custom',
      branch: 'of/session',
      wait: true,
    });
    const inWorktree = { worktreeId: worktree?.id ?? '', agentId: 'scripted' };
    const { id } = await c.client.call('sessions.create', inWorktree);
    expect(JSON.parse((await run('sessions', 'get', 'of/session', '--json')).out)).toMatchObject({ id });
    await c.client.call('sessions.create', inWorktree);
    expect((await run('sessions', 'get', 'of/session')).code).toBe(ERRORS.AMBIGUOUS_ID.exit);
  });

  it('prefers the branch of a session to the beginning of a title and to the title of an archived session', async () => {
    const titled = await session('first steps of all');
    const { worktree } = await c.client.call('worktrees.create', {
      repositoryId: c.repository.id,
      mode: 'custom',
      branch: 'first',
      wait: true,
    });
    const { id } = await c.client.call('sessions.create', { worktreeId: worktree?.id ?? '', agentId: 'scripted' });
    const named = async (query: string, exact: boolean) =>
      (await c.client.call('names.resolve', { noun: 'session', query, exact })).id;
    // Commands that delete something accept only whole names. They must not find another session than the others do.
    for (const exact of [false, true]) expect(await named('first', exact)).toBe(id);
    const archived = await session('first');
    for (const exact of [false, true]) expect(await named('first', exact)).toBe(archived.id);
    await c.client.call('sessions.archive', { sessionId: archived.id });
    for (const exact of [false, true]) expect(await named('first', exact)).toBe(id);
    expect(await named('first s', false)).toBe(titled.id);
    expect(await refusal(named('first s', true))).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('finds repositories and worktrees by name, branch, and a path in them', async () => {
    const { id: repositoryId, path } = c.repository;
    const { worktree } = await c.client.call('worktrees.create', {
      repositoryId,
      mode: 'custom',
      branch: 'by/name',
      wait: true,
    });
    mkdirSync(join(worktree?.path ?? '', 'deep'));
    const names = async (noun: 'repository' | 'worktree', query: string) =>
      (await c.client.call('names.resolve', { noun, query })).id;
    expect(await names('worktree', 'by/name')).toBe(worktree?.id);
    expect(await names('worktree', join(worktree?.path ?? '', 'deep'))).toBe(worktree?.id);
    expect(await names('repository', join(worktree?.path ?? '', 'deep'))).toBe(repositoryId);
    expect(await names('repository', path)).toBe(repositoryId);
    expect(await refusal(names('repository', `${path}-other`))).toMatchObject({ code: 'NOT_FOUND' });
    const list = await run('worktrees', 'list', path);
    expect(list.out).toMatch(/^ID\tNAME\tREPOSITORY\tBRANCH\tSTATE\tCHANGES\tAHEAD\tBEHIND\tMERGED\tAGE\n/);
    expect(list.out).toMatch(/\tby\/name\tready\t/);
  });

  it('lists the worktrees of all repositories with --all, or outside of any repository', async () => {
    const other = await c.addRepository('other');
    const repositoriesIn = async (...args: string[]) => {
      const { code, out } = await run('worktrees', 'list', ...args, '--json');
      expect(code).toBe(0);
      const { data } = JSON.parse(out) as { data: { repositoryId: string }[] };
      return [...new Set(data.map(({ repositoryId }) => repositoryId))].sort();
    };
    const both = [c.repository.id, other.id].sort();
    expect(await repositoriesIn()).toEqual(both);
    expect(await repositoriesIn(other.name)).toEqual([other.id]);
    const before = process.cwd();
    process.chdir(other.path);
    try {
      expect(await repositoriesIn()).toEqual([other.id]);
      expect(await repositoriesIn('--all')).toEqual(both);
    } finally {
      process.chdir(before);
    }
    expect(await run('worktrees', 'list', other.name, '--all')).toMatchObject({ code: ERRORS.VALIDATION.exit });
    const rows = (await run('worktrees', 'list')).out;
    for (const name of [c.repository.name, other.name]) expect(rows).toMatch(new RegExp(`\\t${name}\\t`));
    const answer = await fetch(`${c.baseUrl}/api/repositories/${other.id}/worktrees`);
    expect(await answer.json()).toMatchObject({ total: 1, data: [{ repositoryId: other.id }] });
  });

  it('does not compare a worktree with a base that no longer exists', async () => {
    const { id: repositoryId, name, path } = await c.addRepository('renamed');
    const fields = { repositoryId, mode: 'custom', branch: 'without-base', wait: true } as const;
    const { worktree } = await c.client.call('worktrees.create', fields);
    const at = worktree?.path ?? '';
    writeFileSync(join(at, 'new.txt'), '');
    c.git(['add', 'new.txt'], at);
    c.git(['commit', '--quiet', '-m', 'Add a file'], at);
    const comparison = async () => {
      await c.client.call('worktrees.get', { worktreeId: worktree?.id ?? '' });
      const rows = (await run('worktrees', 'list', name)).out.split('\n').map((row) => row.split('\t'));
      const [heading, row] = [rows[0], rows.find((cells) => cells.includes('without-base'))];
      return ['AHEAD', 'BEHIND', 'MERGED'].map((column) => row?.[heading?.indexOf(column) ?? 0]).join(' ');
    };
    // A refresh in the background that began before a change may end after it, so the status is requested again.
    const compared = (expected: string) =>
      c.until(`the comparison ${expected}`, async () => (await comparison()) === expected || undefined);
    await compared('1 0 no');
    c.git(['branch', '-m', 'main', 'trunk'], path);
    await compared('- - -');
  });

  it('does not reveal names of sessions that the caller may not read', async () => {
    const ann = await addPerson(c, 'Ann');
    const { id } = await session('Secret plan');
    await c.client.call('sessions.update', { sessionId: id, visibility: 'private' });
    expect(await refusal(ann.client.call('names.resolve', { noun: 'session', query: 'Secret plan' }))).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect((await ann.client.call('names.list', { noun: 'session', startsWith: 'secret' })).names).toEqual([]);
    expect((await ann.client.call('names.list', { noun: 'session', ids: [id] })).names).toEqual([]);
    expect(await refusal(ann.client.call('names.list', { noun: 'token' }))).toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    expect((await c.client.call('names.list', { noun: 'session', startsWith: 'SECRET' })).names).toEqual([
      { kind: 'session', id, title: 'Secret plan' },
    ]);
  });
});

describe('a command that deletes', () => {
  it('needs --yes without a terminal, says what it would delete, and accepts only complete names', async () => {
    const { id } = await session('Old notes');
    const refused = await run('sessions', 'remove', 'old notes');
    expect(refused.code).toBe(ERRORS.VALIDATION.exit);
    expect(refused.err).toContain(`--yes: is required`);
    expect(refused.err).toContain(`session ${id.slice(0, 18)} "Old notes"`);
    expect(await run('sessions', 'remove', id, '--json')).toMatchObject({ code: ERRORS.VALIDATION.exit });
    expect(await run('sessions', 'remove', 'Old', '--yes')).toMatchObject({ code: ERRORS.NOT_FOUND.exit });
    const removed = await run('sessions', 'remove', 'Old notes', '--yes');
    expect(removed).toMatchObject({ code: 0, err: `session ${id.slice(0, 18)} "Old notes"\n` });
    expect(removed.out).toMatch(/^Session +Old notes\nID +/);
  });

  it('asks nothing for a dry run', async () => {
    writeFileSync(join(c.folder, 'note.txt'), 'x');
    expect(await run('orchestrations', 'cleanup', '--older-than-days', '1', '--dry-run')).toMatchObject({
      code: 0,
      err: '',
    });
  });
});

describe('completion', () => {
  it('runs the program by its path unless a shell finds it', async () => {
    const bin = mkdtempSync(join(c.folder, 'bin-'));
    const program = join(bin, "the agent's.js");
    writeFileSync(program, '');
    symlinkSync(program, join(bin, 'agent-console'));
    const quoted = `'/bin/node' '${program.replace("'", "'\\''")}'`;
    expect(programOf(['/bin/node', program], { PATH: `/nowhere:${bin}` })).toBe('agent-console');
    expect(programOf(['/bin/node', program], { PATH: '/nowhere' })).toBe(quoted);
    // Under npx, PATH contains the program only because npx has added its own directory.
    expect(programOf(['/bin/node', program], { PATH: bin, npm_config_user_agent: 'npm' })).toBe(quoted);
  });

  const complete = async (...words: string[]) =>
    (await run('complete', '--', ...words)).out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split('\t')[0]);

  it('offers commands, flags, choices and names of the console', async () => {
    await session('Complete me');
    expect(await complete('deleg')).toEqual(['delegate', 'delegations']);
    expect(await complete('sessions', 'st')).toEqual(['stop']);
    expect(await complete('sessions', 'list', '--rep')).toEqual(['--repository']);
    expect(await complete('sessions', 'list', '--status', 'f')).toEqual(['failed']);
    expect(await complete('delegate', 'x', '--repository', 's')).toEqual([c.repository.name]);
    expect(await complete('delegate', 'x', '--agent', 'scr')).toContain('scripted');
    expect(await complete('sessions', 'stop', 'comp')).toEqual(['Complete me']);
    expect(await complete('logs', 'Complete\\ m')).toEqual(['Complete me']);
    expect(await complete('list', 'nothing', '')).toEqual([]);
    for (const shell of ['bash', 'zsh', 'fish'])
      expect(await run('completion', shell)).toMatchObject({
        code: 0,
        out: expect.stringContaining(' complete -- '),
      });
  });
});
