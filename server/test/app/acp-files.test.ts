import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionsOf } from '../e2e/support/sessions.ts';
import { acpSessionsOf } from '../support/acp-agents.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const { finished } = sessionsOf(() => c);
const { start, texts, messagesOf } = acpSessionsOf(() => c);

describe('an agent over ACP that uses files through the console', () => {
  it.each(['../outside.txt', '/etc/hostname', '.git/config'])('does not read %s', async (path) => {
    const { id } = await start(`@read ${path}`);
    await finished(id);
    expect(await texts(id)).toEqual([expect.stringContaining('Use a file inside the session’s directory')]);
    const call = (await messagesOf(id)).find(({ kind }) => kind === 'toolCall');
    expect(call?.parts).toMatchObject([{ status: 'failed' }]);
    const { data } = await c.client.call('audit.list', { sessionId: id, outcome: 'error' });
    expect(data).toMatchObject([
      { operation: 'fs/read_text_file', surface: 'acp', outcome: 'PERMISSION_DENIED', actor: `session:${id}` },
    ]);
  });

  it('reads a part of a file that is too large for one answer', async () => {
    writeFileSync(join(c.folder, 'large.txt'), `first\n${'x'.repeat(300_000)}\n`);
    const { id } = await start('@read large.txt\n@read large.txt 1 1');
    await finished(id);
    expect(await texts(id)).toEqual([expect.stringContaining('Use line and limit')]);
    const calls = (await messagesOf(id)).filter(({ kind }) => kind === 'toolCall');
    expect(calls.at(-1)?.parts).toMatchObject([{ content: [{ content: { text: 'first' } }] }]);
  });

  it('is answered and goes on whatever it asks of files', async () => {
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
