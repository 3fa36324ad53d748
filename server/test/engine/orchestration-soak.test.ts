import { expect, it } from 'vitest';
import { SYSTEM } from '../../src/engine/changes/author.ts';
import { spec } from '../domain/orchestration/support.ts';
import { openOrchestrations } from './orchestration-harness.ts';

const CYCLES = process.env.LONG ? 60 : 4;
const AGENTS = Array.from({ length: 5 }, (_, at) => spec({ agentId: `a${at}`, task: 'word '.repeat(200) }));

it('cleanup leaves no rows of orchestrations, and the database does not grow with repeated use', async () => {
  const run = openOrchestrations();
  const pages: number[] = [];
  for (let cycle = 0; cycle < CYCLES; cycle += 1) {
    const ids = await Promise.all(Array.from({ length: 8 }, () => run.create({ strategy: 'parallel' }, AGENTS)));
    for (const id of ids) {
      await run.orchestrations.start(SYSTEM, id);
      for (const { agentId = '' } of AGENTS) await run.end(id, agentId, 'completed');
    }
    // Each orchestration has three events (created, started, completed), and each of its agents has two (started,
    // completed).
    expect(run.rowsOf('orchestration_events')).toBe(ids.length * (3 + 2 * AGENTS.length));
    expect((await run.cleanUp()).map(({ error }) => error)).toEqual(ids.map(() => null));
    for (const table of ['orchestrations', 'orchestration_agents', 'orchestration_attempts', 'orchestration_events']) {
      expect(run.rowsOf(table), table).toBe(0);
    }
    await run.prune();
    pages.push(run.pages());
  }
  expect(run.archivedEvents()).toBe(CYCLES * 8 * (3 + 2 * AGENTS.length));
  expect(run.errors).toEqual([]);
  await run.close();
  // The database does not grow, because each cycle of creating, running and removing orchestrations reuses the pages
  // that the previous cycle freed.
  expect(Math.max(...pages)).toBeLessThan((pages[0] ?? 0) * 1.05);
}, 600_000);
