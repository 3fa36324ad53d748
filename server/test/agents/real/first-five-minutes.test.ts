import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf, readDocument } from '../../support/documents.ts';
import { CLIS, versionOf } from './harness/clis.ts';
import { report, running } from './scripts.ts';
import { openWorld, type World } from './world.ts';

const PROGRAM = fileURLToPath(new URL('../../../bin/agent-console.js', import.meta.url));

/** Commands of the README that need Claude Code: those that add a repository, check the agent and delegate. */
const commands = blocksOf(readDocument('README.md'))
  .filter(({ info, text }) => info === 'no-run' && text.startsWith('npx agent-console'))
  .map(({ text }) => text);

const absent = versionOf('claude-code') === null;
if (absent) console.warn(`SKIPPED: ${CLIS['claude-code'].name} is not installed or does not start here`);

describe.skipIf(absent)('Claude Code in the README', () => {
  let w: World;
  beforeAll(async () => {
    const work = 'echo ok > health.js && git add health.js && git commit -q -m health && git log -1 --format=made:%s';
    w = await openWorld([
      running('claude-code', 'Add a /health endpoint', work),
      { when: 'made:health', text: 'Committed.', tool: report('the endpoint is committed') },
    ]);
  });
  afterAll(() => w.close());

  it('is checked, asks once, and does the task of the first five minutes', async () => {
    expect(commands).toHaveLength(2);
    const { id, path } = w.c.repository;
    await w.c.client.call('repositories.remove', { repositoryId: id });
    const env = { ...w.c.env, PATH: process.env.PATH, AGENT_CONSOLE_BASE_URL: w.c.baseUrl };
    const printed: string[] = [];
    for (const command of commands) {
      const local = command
        .replaceAll('npx agent-console', `${process.execPath} ${PROGRAM}`)
        .replaceAll('/path/to/shop', path)
        .replaceAll('--repository shop', `--repository ${basename(path)}`);
      printed.push((await promisify(execFile)('sh', ['-ec', local], { env })).stdout);
    }
    expect(printed[0]).toContain(path);
    expect(printed[1]).toMatch(/^Branch +health$/m);
    const question = await w.until('the question for permission', async () => {
      const { data } = await w.c.client.call('approvals.list', { state: 'pending' });
      return data[0];
    });
    const [yes] = question.options;
    await w.c.client.call('approvals.answer', { approvalId: question.id, optionId: yes?.id ?? '' });
    const task = await w.until('the report', async () => {
      const { data } = await w.c.client.call('tasks.list', { status: 'completed' });
      return data[0];
    });
    expect(task).toMatchObject({ outcomeSource: 'report', summary: 'the endpoint is committed' });
    expect(w.c.git(['log', '-1', '--format=%s', 'health'], path)).toBe('health');
  });
});
