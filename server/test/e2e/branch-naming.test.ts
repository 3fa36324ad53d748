import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConsole, type TestConsole } from '../support/console.ts';
import { killServer } from './support/kill.ts';

let c: TestConsole;

beforeAll(async () => {
  c = await startConsole({ env: { ANTHROPIC_API_KEY: 'sk-test-dummy', OPENAI_API_KEY: 'not-for-this-kind' } });
});
afterAll(() => c.close());

let counter = 0;

/**
 * Creates an agent of the kind claude-code whose program is a shell script. Without a terminal, it runs `answer`; with
 * a terminal, it only waits.
 */
async function agentAnswering(answer: string): Promise<{ agentId: string; notes: string }> {
  counter += 1;
  const agentId = `namer-${counter}`;
  const notes = join(c.folder, agentId);
  mkdirSync(notes);
  const program = join(notes, 'program');
  const asked = `case " $* " in *" -p "*) NOTES='${notes}'; ${answer};; *) exec sleep 600;; esac`;
  writeFileSync(program, `#!/bin/sh\n[ "$1" = --version ] || [ "$1" = --help ] && exit 0\n${asked}\n`);
  chmodSync(program, 0o755);
  await c.client.call('agents.create', { id: agentId, name: 'Namer', kind: 'claude-code', command: [program] });
  return { agentId, notes };
}

function delegate(agentId: string, prompt: string) {
  return c.client.call('delegations.create', { repositoryId: c.repository.id, agentId, prompt });
}

const alive = (pid: number) => existsSync(`/proc/${pid}`);
const scratch = () => (existsSync(join(c.home, 'scratch')) ? readdirSync(join(c.home, 'scratch')) : []);

describe('the branch of delegated work', () => {
  it('has the name that the agent suggests, and a warning tells the caller so', async () => {
    const { agentId } = await agentAnswering("printf 'fix-login-redirect\\n'");
    const made = await delegate(agentId, 'Please repair the redirect after the login');
    expect(made.branch).toBe('ac/fix-login-redirect');
    expect(made.warnings).toEqual(['The branch name ac/fix-login-redirect was suggested by Namer.']);
    expect(c.git(['branch', '--show-current'], made.worktreePath)).toBe('ac/fix-login-redirect');
  });

  it('is suggested without a shell, without stdin, in an empty folder and without secrets of other kinds', async () => {
    const { agentId, notes } = await agentAnswering(
      'env >"$NOTES/env"; pwd >"$NOTES/pwd"; ls -A >"$NOTES/ls"; cat >"$NOTES/stdin"; for last; do :; done; printf %s "$last" >"$NOTES/question"; echo as-it-should',
    );
    const prompt = `It's $(touch ${notes}/injected) \`touch ${notes}/injected\` "; touch ${notes}/injected; "`;
    const made = await delegate(agentId, prompt);
    expect(made.branch).toBe('ac/as-it-should');
    const note = (name: string) => readFileSync(join(notes, name), 'utf8');
    expect(note('question')).toContain(prompt);
    expect(existsSync(join(notes, 'injected'))).toBe(false);
    expect([note('ls'), note('stdin')]).toEqual(['', '']);
    expect(note('pwd')).toContain(join(c.home, 'scratch'));
    const names = note('env')
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(names).toContain('ANTHROPIC_API_KEY');
    expect(names).not.toContain('OPENAI_API_KEY');
    expect(names).not.toContain('AGENT_CONSOLE_HOME');
    expect(scratch()).toEqual([]);
  });

  it.each([
    ['words', 'echo Sure, here is a branch name for you'],
    ['an option', "printf -- '--upload-pack=touch\\n'"],
    ['a path out of its folder', 'echo ../../../etc/passwd'],
    ['a name behind a line break', "printf 'good-name\\n; rm -rf /\\n'"],
    ['control characters', "printf 'good\\033[2Jname\\n'"],
    ['nothing', ':'],
    ['letters of another alphabet', "printf 'f\\303\\274r-dich\\n'"],
    ['a lock', 'echo refs/heads/x.lock'],
  ])('is derived from the prompt if the agent answers %s', async (_, answer) => {
    const { agentId } = await agentAnswering(answer);
    const made = await delegate(agentId, 'Repair the cellar door');
    expect(made.branch).toMatch(/^ac\/repair-cellar-door(-\d+)?$/);
    expect(made.warnings).toEqual([
      'The branch name was derived from the prompt, because Namer did not answer with a valid name.',
      `The branch name ${made.branch} was derived from the prompt.`,
    ]);
  });

  it('is derived from the prompt if the agent fails, and a warning says how', async () => {
    const { agentId } = await agentAnswering('echo a-good-name; exit 3');
    const made = await delegate(agentId, 'Paint the attic window');
    expect(made.branch).toBe('ac/paint-attic-window');
    expect(made.warnings[0]).toContain('ended with exit code 3');
  });

  it('is derived from the prompt if the agent prints too much, and the agent is ended', async () => {
    const { agentId, notes } = await agentAnswering('echo $$ >"$NOTES/pid"; exec yes a-good-name');
    const made = await delegate(agentId, 'Sweep the chimney');
    expect(made.branch).toBe('ac/sweep-chimney');
    expect(made.warnings[0]).toContain('printed too much output');
    const pid = Number(readFileSync(join(notes, 'pid'), 'utf8'));
    await c.until('its end', async () => !alive(pid));
  });

  it('gets a number if two concurrent delegations get the same name', async () => {
    const { agentId } = await agentAnswering('echo twice-the-same');
    const prompt = 'Do the same thing twice';
    const made = await Promise.all([delegate(agentId, prompt), delegate(agentId, prompt)]);
    expect(made.map(({ branch }) => branch).sort()).toEqual(['ac/twice-the-same', 'ac/twice-the-same-2']);
  });

  it('has the name that the caller chose, without asking the agent', async () => {
    const { agentId, notes } = await agentAnswering('touch "$NOTES/asked"; echo other-name');
    const input = { repositoryId: c.repository.id, agentId, prompt: 'Whatever it is', branch: 'given/by-me' };
    expect((await c.client.call('delegations.create', input)).branch).toBe('given/by-me');
    expect(existsSync(join(notes, 'asked'))).toBe(false);
  });

  it('is derived from the prompt if the setting says so', async () => {
    const { agentId, notes } = await agentAnswering('touch "$NOTES/asked"; echo other-name');
    await c.client.call('settings.update', { branchNames: 'slug' });
    const made = await delegate(agentId, 'Ask nobody about this');
    await c.client.call('settings.update', { branchNames: 'agent' });
    expect([made.branch, made.warnings]).toEqual([
      'ac/ask-nobody-about',
      ['The branch name ac/ask-nobody-about was derived from the prompt.'],
    ]);
    expect(existsSync(join(notes, 'asked'))).toBe(false);
  });
});

it('the agent also names the branch of a worktree created for a prompt, or its job says why it did not', async () => {
  const create = async (answer: string, prompt: string) => {
    const { agentId } = await agentAnswering(answer);
    const input = { repositoryId: c.repository.id, mode: 'prompt' as const, prompt, agentId };
    const { jobId } = await c.client.call('worktrees.create', input);
    return c.until('the worktree', async () => {
      const job = await c.client.call('jobs.get', { jobId });
      return job.state === 'succeeded' && job.result;
    });
  };
  expect(await create('echo tidy-shelf', 'Tidy up the shelf')).toMatchObject({ branch: 'ac/tidy-shelf', warnings: [] });
  expect(await create('exit 1', 'Tidy up the drawer')).toMatchObject({
    branch: 'ac/tidy-up-drawer',
    warnings: [expect.stringContaining('ended with exit code 1')],
  });
});

it('a name requested when the server dies leaves nothing behind, and the repeated call succeeds', async () => {
  const { agentId, notes } = await agentAnswering(
    'echo $$ >"$NOTES/pid"; [ -e "$NOTES/quick" ] || sleep 600; echo at-last',
  );
  const input = { repositoryId: c.repository.id, agentId, prompt: 'Survive it', idempotencyKey: 'survive' };
  const call = c.client.call('delegations.create', input);
  const pid = await c.until('the question', async () => {
    const file = join(notes, 'pid');
    return existsSync(file) && Number(readFileSync(file, 'utf8'));
  });
  const before = await c.client.call('delegations.list', {});
  writeFileSync(join(notes, 'quick'), '');
  await killServer(c);
  await c.until('the end of what was asked', async () => !alive(pid));
  expect((await call).branch).toBe('ac/at-last');
  expect((await c.client.call('delegations.list', {})).total).toBe(before.total + 1);
  await c.until('an empty place', async () => scratch().length === 0);
});
