import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startConsole, type TestConsole } from '../support/console.ts';

let consoles: TestConsole[];
beforeAll(async () => {
  consoles = await Promise.all([startConsole(), startConsole()]);
});
afterAll(() => Promise.all(consoles.map((c) => c.close())));

it('two consoles on two ports are independent: each worker calls its own console', async () => {
  const seen = consoles.map(async (c) => {
    const { sessionId, worktreePath } = await c.client.call('delegations.create', {
      repositoryId: c.repository.id,
      agentId: 'scripted',
      branch: 'whoami',
      prompt: `@tool list_sessions {}\n@report succeeded done`,
    });
    const end = await c.client.call('sessions.wait', { sessionId, timeoutSeconds: 45 });
    expect(end.task).toMatchObject({ status: 'completed', outcomeSource: 'report' });
    expect(worktreePath.startsWith(c.home)).toBe(true);
    const transcript = readFileSync(join(c.home, 'transcripts', `${sessionId}.jsonl`), 'utf8');
    const others = consoles.filter((other) => other !== c);
    expect(transcript).toContain(sessionId);
    for (const other of others) expect(transcript).not.toContain(other.repository.id);
    return (await c.client.call('sessions.list', {})).data.map((session) => session.id);
  });
  const [first = [], second = []] = await Promise.all(seen);
  expect(first).toHaveLength(1);
  expect(second).toHaveLength(1);
  expect(first[0]).not.toBe(second[0]);
});
