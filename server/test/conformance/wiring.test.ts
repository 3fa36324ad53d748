import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failuresOf, type Grades, grade, REVISIONS, runsHere, scenariosOf } from './suite.ts';
import { serveFixtures } from './wiring.ts';

const here = await runsHere();

/** The console's MCP surface must pass all checks if it serves the tools of the suite instead of its own. */
for (const revision of REVISIONS) {
  const scenarios = here ? await scenariosOf(revision) : ['whatever it asks'];
  describe.skipIf(!here)(`the requirements of ${revision}`, () => {
    let grades: Grades;
    beforeAll(async () => {
      const served = await serveFixtures();
      try {
        grades = await grade(served.url, revision);
      } finally {
        await served.close();
      }
    });
    afterAll(() => {
      const all = [...grades.checks.values()].flat();
      const held = all.filter(({ status }) => status === 'SUCCESS').length;
      console.log(`${revision}: ${held} of ${all.length} checks hold, unscored ones among them`);
    });

    it.each(scenarios)('%s', (scenario) => {
      const checks = grades.checks.get(scenario) ?? [];
      expect(checks.length).toBeGreaterThan(0);
      expect(failuresOf(checks)).toEqual([]);
    });

    it('are complete, and the suite as a whole passes', () => {
      expect(scenarios.length).toBeGreaterThan(20);
      expect(grades.status).toBe(0);
    });
  });
}
