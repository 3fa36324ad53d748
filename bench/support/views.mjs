import { anyOf, atMost, medianAtMost, never } from './aims.mjs';
import { openDashboard, tasksDuring } from './browser.mjs';

/** Tasks of the page's main thread up to this duration in milliseconds are not noticed while scrolling or typing. */
export const TASK_MS = 100;
/** Maximum time in milliseconds from a navigation until the first row is shown. */
const FIRST_ROW_MS = 500;
/**
 * The first row of a large view may take FIRST_ROW_MS or, if longer, this many times as long as the first row of the
 * small view. On a busy machine, even the small view may miss FIRST_ROW_MS.
 */
const FIRST_ROW_FACTOR = 1.5;

const longest = (tasks) => Math.max(0, ...tasks);

/**
 * Measures a view of the dashboard with much data and the same view with little data.
 * @param {object} wanted
 * @param {import('playwright-core').Browser} wanted.browser
 * @param {string} wanted.name what the view shows
 * @param {{console: object, path: string}} wanted.large
 * @param {{console: object, path: string}} wanted.small
 * @param {string} wanted.against what the small view shows
 * @param {string} wanted.row selector of a row
 * @param {number} wanted.rounds
 * @param {Record<string, (page: import('playwright-core').Page) => Promise<unknown>>} wanted.actions actions to
 *   measure, by name
 * @param {(page: import('playwright-core').Page) => Promise<unknown>} [wanted.settled] waits until all data is shown
 */
export async function measureView(wanted) {
  const { browser, name, large, small, against, row, rounds, actions, settled = () => {} } = wanted;
  const sides = [];
  for (const { console, path } of [small, large]) {
    const tab = await openDashboard(browser, console, row);
    await tab.open(path);
    sides.push({ tab, path, first: [], tasks: new Map() });
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const { tab, path, first, tasks } of sides) {
      first.push(await tab.open(path));
      await settled(tab.page);
      for (const [action, act] of Object.entries(actions)) {
        const found = await tasksDuring(browser, () => act(tab.page));
        tasks.set(action, [...(tasks.get(action) ?? []), longest(found)]);
      }
    }
  }
  const [few, many] = sides;
  for (const { tab } of sides) await tab.close();
  return [
    {
      name: `${name}: navigation → first row`,
      unit: 'ms',
      ours: many.first,
      limit: few.first,
      against,
      aim: anyOf(medianAtMost(FIRST_ROW_MS), atMost(FIRST_ROW_FACTOR)),
    },
    ...Object.keys(actions).map((action) => ({
      name: `${name}: longest task, ${action}`,
      unit: 'ms of CPU',
      ours: many.tasks.get(action),
      limit: few.tasks.get(action),
      against,
      aim: never(TASK_MS),
    })),
  ];
}
