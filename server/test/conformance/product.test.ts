import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConsole, type TestConsole } from '../support/console.ts';
import { failuresOf, gradingCommand, REVISIONS, type Revision, readGrades, runsHere, scenariosOf } from './suite.ts';

/**
 * File with the checks that fail for the console, by revision and scenario. Nearly all require tools, prompts and
 * resources of the suite itself; the others require logging and sampling, which the console does not offer.
 * UPDATE_BASELINE=1 rewrites the file.
 */
const BASELINE = fileURLToPath(new URL('product-baseline.json', import.meta.url));
type Baseline = Partial<Record<Revision, Record<string, string[]>>>;
const expected = JSON.parse(readFileSync(BASELINE, 'utf8')) as Baseline;

const here = await runsHere();
const seen: Baseline = {};

/**
 * Runs the suite as an agent of the console. The suite cannot send a token, so the console identifies its calls by the
 * agent's process.
 */
async function gradeAsAgent(c: TestConsole, revision: Revision): Promise<Map<string, string[]>> {
  const results = join(c.folder, revision);
  const command = gradingCommand(`${c.baseUrl}/mcp`, revision, ['-o', results]);
  const id = `grader-${revision}`;
  await c.client.call('agents.create', { id, name: 'Grader', command });
  const session = await c.client.call('sessions.create', { cwd: c.folder, agentId: id, title: 'Graded' });
  const worker = await c.client.call('workers.create', { sessionId: session.id, type: 'agent' });
  await c.until('the end of the suite', async () => {
    const { state } = await c.client.call('workers.get', { workerId: worker.id });
    return state === 'exited';
  });
  return new Map([...readGrades(results)].map(([scenario, checks]) => [scenario, failuresOf(checks)]));
}

for (const revision of REVISIONS) {
  const scenarios = here ? await scenariosOf(revision) : ['whatever it asks'];
  describe.skipIf(!here)(`the product against ${revision}`, () => {
    let c: TestConsole;
    let failures: Map<string, string[]>;
    beforeAll(async () => {
      c = await startConsole();
      failures = await gradeAsAgent(c, revision);
    });
    afterAll(() => c.close());

    it.each(scenarios)('fails only the known checks of %s', (scenario) => {
      const found = failures.get(scenario);
      if (found === undefined) throw new Error('the scenario did not run');
      const ids = [...new Set(found.map((line) => line.split(':')[0] ?? ''))].sort();
      if (ids.length > 0) seen[revision] = { ...seen[revision], [scenario]: ids };
      if (process.env.UPDATE_BASELINE === '1') return;
      expect({ ids, found }).toEqual({ ids: expected[revision]?.[scenario] ?? [], found });
    });
  });
}

afterAll(() => {
  if (process.env.UPDATE_BASELINE === '1') writeFileSync(BASELINE, `${JSON.stringify(seen, null, 2)}\n`);
});
