import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionsOf } from '../e2e/support/sessions.ts';
import { acpSessionsOf } from '../support/acp-agents.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { orchestrationsIn } from '../support/orchestrations.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const { finished } = sessionsOf(() => c);
const { start, texts, messagesOf } = acpSessionsOf(() => c);

const { create, ended } = orchestrationsIn(() => c);

/**
 * Runs an agent over ACP in an orchestration. `task` returns the agent's task, given the shared folder of the
 * orchestration.
 */
async function runInOrchestration(task: (shared: string) => string) {
  const { id, sharedDirectory } = await create([]);
  await c.client.call('orchestrations.addAgents', {
    orchestrationId: id,
    agents: [{ role: 'writer', agenticTool: 'scripted-acp', permissionMode: 'default', task: task(sharedDirectory) }],
  });
  await c.client.call('orchestrations.start', { orchestrationId: id });
  const end = await ended(id);
  return { sharedDirectory, sessionId: end.agents[0]?.sessionId ?? '' };
}

describe('an agent over ACP that shares a folder with others', () => {
  it('reads and writes files in the folder without a question', async () => {
    const { sharedDirectory, sessionId } = await runInOrchestration((shared) =>
      [
        `@edit ${shared}/context/new/plan.txt first`,
        `@read ${shared}/context/new/plan.txt`,
        '@report succeeded done',
      ].join('\n'),
    );
    expect(readFileSync(join(sharedDirectory, 'context/new/plan.txt'), 'utf8')).toBe('first\n');
    expect((await c.client.call('approvals.list', { sessionId })).total).toBe(0);
    expect((await texts(sessionId)).filter((text) => String(text).startsWith('error'))).toEqual([]);
  });

  it('cannot access files outside of the folder, not even through links', async () => {
    writeFileSync(join(c.folder, 'secret.txt'), 'secret');
    const { sharedDirectory, sessionId } = await runInOrchestration((shared) => {
      symlinkSync(c.folder, join(shared, 'context/out'));
      const lines = ['context/out/secret.txt', '../agents/x', '../../other'].flatMap((path) => [
        `@read ${shared}/${path}`,
        `@edit ${shared}/${path} x`,
      ]);
      return [...lines, '@report succeeded done'].join('\n');
    });
    expect(
      (await texts(sessionId)).filter((text) => String(text).includes("outside the session's directory")),
    ).toHaveLength(6);
    expect(readFileSync(join(c.folder, 'secret.txt'), 'utf8')).toBe('secret');
    expect(existsSync(join(sharedDirectory, '../agents/x'))).toBe(false);
  });
});

describe('an agent over ACP that uses files through the console', () => {
  it.each(['../outside.txt', '/etc/hostname', '.git/config'])('does not read %s', async (path) => {
    const { id } = await start(`@read ${path}`);
    await finished(id);
    expect(await texts(id)).toEqual([expect.stringContaining("Use a file inside the session's directory")]);
    const call = (await messagesOf(id)).find(({ kind }) => kind === 'toolCall');
    expect(call?.parts).toMatchObject([{ status: 'failed' }]);
    const { data } = await c.client.call('audit.list', { sessionId: id, outcome: 'error' });
    expect(data).toMatchObject([
      { operation: 'fs/read_text_file', surface: 'acp', outcome: 'PERMISSION_DENIED', actor: `session:${id}` },
    ]);
  });

  it.each([
    '../outside.txt',
    'link/outside.txt',
    '/tmp/agent-console-outside.txt',
    '.git/hooks/post-commit',
    'sub/.git/hooks/post-commit',
    'sub/.GIT/config',
  ])('does not write %s, and the refusal is audited', async (path) => {
    const outside = mkdtempSync(join(tmpdir(), 'agent-console-outside-'));
    const link = join(c.folder, 'link');
    rmSync(link, { force: true });
    symlinkSync(outside, link);
    mkdirSync(join(c.folder, 'sub/.git/hooks'), { recursive: true });
    const { id } = await start(`@edit ${path} x`);
    await finished(id);
    expect(await texts(id)).toEqual([expect.stringContaining("Use a file inside the session's directory")]);
    expect(existsSync(resolve(c.folder, path))).toBe(false);
    const { data } = await c.client.call('audit.list', { sessionId: id, outcome: 'error' });
    const refused = { surface: 'acp', outcome: 'PERMISSION_DENIED', actor: `session:${id}` };
    // The agent reads a file before it edits the file. The audit log lists the newest call first.
    expect(data).toMatchObject([
      { operation: 'fs/write_text_file', ...refused },
      { operation: 'fs/read_text_file', ...refused },
    ]);
    rmSync(outside, { recursive: true });
  });

  it('reads a part of a file that is too large for one answer', async () => {
    writeFileSync(join(c.folder, 'large.txt'), `first\n${'x'.repeat(300_000)}\n`);
    const { id } = await start('@read large.txt\n@read large.txt 1 1');
    await finished(id);
    expect(await texts(id)).toEqual([expect.stringContaining('Use line and limit')]);
    const calls = (await messagesOf(id)).filter(({ kind }) => kind === 'toolCall');
    expect(calls.at(-1)?.parts).toMatchObject([{ content: [{ content: { text: 'first' } }] }]);
  });

  it('gets an error for each invalid file request, and continues', async () => {
    execFileSync('mkfifo', [join(c.folder, 'pipe')]);
    writeFileSync(join(c.folder, 'plain.txt'), '');
    const lines = [
      '@read pipe',
      '@edit pipe x',
      '@edit plain.txt/below x',
      '@read .',
      '@edit .GIT/hook x',
      '@say after',
    ];
    const { id } = await start(lines.join('\n'));
    await finished(id);
    const said = await texts(id);
    expect(said).toHaveLength(6);
    for (const text of said.slice(0, 5)) expect(text).toMatch(/^error: /);
    expect(said.at(-1)).toBe('after');
  });
});
