import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '@agent-console/shared/errors';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findAddress } from '../../src/surfaces/cli/find-console.ts';
import { watch } from '../../src/surfaces/cli/watch.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { runInProcess } from '../support/cli.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const run = (...args: string[]) => runInProcess(['--url', c.baseUrl, ...args], { PATH: process.env.PATH ?? '' });

async function out(...args: string[]): Promise<string> {
  const done = await run(...args);
  expect(done, done.err).toMatchObject({ code: 0 });
  return done.out;
}

it('does the whole job by names: add, delegate three, answer, diff, prompt, check, merge, clean up', async () => {
  const path = join(c.folder, 'typed', 'store');
  c.git(['clone', '--quiet', c.repository.path, path]);
  c.git(['remote', 'remove', 'origin'], path);
  expect(await out('repositories', 'create', path)).toMatch(/^ID +\S+\nName +store\n/);
  await out('repositories', 'update', 'store', '--check-command', 'test -s one.txt');

  const common = ['--repository', 'store', '--agent', 'scripted'];
  const done = await run(
    'delegate',
    '@write one.txt 1\n@commit One\n@report succeeded One',
    ...common,
    '--title',
    'First task',
    '--branch',
    'one',
    '--wait',
  );
  expect(done).toMatchObject({ code: 0, out: expect.stringMatching(/Status +completed[\s\S]*Result +One/) });
  const failed = await run(
    'delegate',
    '@report failed No way',
    ...common,
    '--title',
    'Second task',
    '--branch',
    'two',
    '--wait',
    '-o',
    'yaml',
  );
  expect(failed).toMatchObject({ code: 1, out: expect.stringContaining('status: failed') });
  await out(
    'delegate',
    '@ask Go on?\n@report succeeded Asked',
    ...common,
    '--title',
    'Third task',
    '--branch',
    'three',
  );
  await out('sessions', 'wait', 'Third task', '--until', 'asking');

  const cells = async (...args: string[]) =>
    new Map(
      (await out(...args))
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t'))
        .map((row) => [row[1], row]),
    );
  const sessions = await cells('sessions', 'list', '--repository', 'store');
  expect(sessions.get('First task')?.slice(2, 7)).toEqual(['store', 'one', 'done', 'completed', 'scripted']);
  expect(sessions.get('Second task')?.slice(2, 7)).toEqual(['store', 'two', 'failed', 'failed', 'scripted']);
  expect(sessions.get('Third task')?.slice(2, 7)).toEqual(['store', 'three', 'asks', '-', 'scripted']);
  expect(sessions.get('First task')?.at(-1)).toBe('-');
  expect(sessions.get('Third task')?.at(-1)).toMatch(/^\d+s$/);
  expect(await run('sessions', 'wait', 'Third task', '--timeout', '0')).toMatchObject({ code: ERRORS.TIMEOUT.exit });

  const questions = await c.until('the question', async () => {
    const list = await out('approvals', 'list', '--session', 'Third task');
    return list.startsWith('ID') ? list : undefined;
  });
  expect(questions).toMatch(/^ID\tSESSION\tSTATE\tTOOL\tQUESTION\tAGE\n\S+\tThird task\tpending\t/);
  const { data } = await c.client.call('approvals.list', {});
  await out('approvals', 'answer', data[0]?.id ?? '', 'y');
  await out('sessions', 'wait', 'Third task');

  const patch = await out('worktrees', 'diff', 'one');
  execFileSync('git', ['apply', '--check'], { cwd: path, input: patch });
  await out('sessions', 'prompt', 'First task', '@write more.txt 2\n@commit More\n@report succeeded More', '--wait');
  expect(await out('worktrees', 'get', 'one')).toMatch(
    /Branch +one\n[\s\S]*Changes +none\nCompared with +main: 2 ahead, 0 behind/,
  );
  expect(await out('check', 'one')).toContain('passed');
  expect(await run('check', 'two')).toMatchObject({ code: 1 });
  await out('integrate', 'one', '--require-check');
  expect(readFileSync(join(path, 'more.txt'), 'utf8')).toBe('2');

  for (const title of ['First task', 'Second task', 'Third task']) await out('sessions', 'stop', title);
  expect(await out('prune', 'store', 'one', 'two', 'three', '--delete-branches', '--yes')).toMatch(/yes\tyes/);
  expect(c.git(['branch', '--format=%(refname:short)'], path)).toBe('main');
  await out('sessions', 'remove', 'First task', '--yes');
  expect(existsSync(path)).toBe(true);
});

it('prints and follows the output of a session until its process ends', async () => {
  await out('delegate', '@say early', '--repository', c.repository.name, '--agent', 'scripted', '--title', 'Talk');
  await out('sessions', 'wait', 'Talk');
  expect(await out('logs', 'Talk')).toContain('early');
  const following = run('logs', 'Talk', '-f');
  const { data } = await c.client.call('sessions.list', { repositoryId: c.repository.id });
  const sessionId = data.find(({ title }) => title === 'Talk')?.id ?? '';
  await c.client.call('sessions.prompt', { sessionId, prompt: '@say later' });
  await c.client.call('sessions.wait', { sessionId, until: 'finished' });
  await c.client.call('sessions.stop', { sessionId });
  const { code, out: printed } = await following;
  expect(code).toBe(0);
  expect(printed).toMatch(/early[\s\S]*later/);
});

it('follows a task to its end: output and questions on stderr, the outcome as exit status', async () => {
  const prompt = '@say out loud\n@ask Go on?\n@say at last\n@report failed No';
  const following = run(
    'delegate',
    prompt,
    '--repository',
    c.repository.name,
    '--agent',
    'scripted',
    '--title',
    'Loud',
    '--follow',
  );
  const question = await c.until('the question', async () => {
    const { data } = await c.client.call('approvals.list', {});
    return data.find(({ text }) => text.includes('Go on?'));
  });
  await c.client.call('approvals.answer', { approvalId: question.id, optionId: 'y' });
  const { code, out: printed, err } = await following;
  expect(code).toBe(1);
  expect(printed).toMatch(/Status +failed[\s\S]*Result +No/);
  expect(err).toMatch(/out loud[\s\S]*at last/);
});

it('prints a list again when something has changed', async () => {
  const ended = new AbortController();
  const printed: string[] = [];
  const address = await findAddress({}, c.baseUrl);
  const watching = watch(
    address,
    async () => (await c.client.call('boards.list', {})).data.map(({ name }) => `${name}\n`).join(''),
    { isTerminal: false, signal: ended.signal, write: (text) => printed.push(text) },
  );
  await c.until('the first list', () => printed.length === 1);
  await c.client.call('boards.create', { name: 'New board' });
  await c.until('the next list', () => printed.length === 2);
  ended.abort();
  await watching;
  expect(printed[1]).toBe('\nNew board\n');
});

it('shows the newest events first', async () => {
  const rows = (await out('events', 'list', '--limit', '5')).trim().split('\n').slice(1, 6);
  const numbers = rows.map((row) => Number(row.split('\t')[0]));
  expect(numbers).toEqual([...numbers].sort((a, b) => b - a));
  const all = await c.client.call('events.list', { limit: 1, order: 'newest' });
  expect(numbers[0]).toBe(all.data[0]?.seq);
});
