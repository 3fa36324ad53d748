import { atMost } from '../support/aims.mjs';
import { openBrowser, openDashboard } from '../support/browser.mjs';
import { pause } from '../support/processes.mjs';
import { startConsole } from '../support/product.mjs';
import { startWriters } from '../support/writers.mjs';

const SESSIONS = 20;
const DURATION_MS = { quick: 16_000, usual: 40_000, long: 600_000 };
/** Fraction of the total duration that is used as warm-up, in which code is loaded and caches are filled. */
const WARM = 0.25;
/** Delay in milliseconds between two rounds of calls. Each round causes about five events. */
const GAP_MS = 100;

/** Returns the heap of a page in MiB and its number of DOM nodes, after garbage collection. */
async function memoryOf({ page, context }) {
  const session = await context.newCDPSession(page);
  for (let times = 0; times < 2; times += 1) await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const { nodes } = await session.send('Memory.getDOMCounters');
  await session.detach();
  return { heap: usedSize / 2 ** 20, nodes };
}

/** Changes titles, and queues and cancels prompts, until the time is over. Returns the number of rounds. */
async function causeEvents({ api }, sessions, milliseconds) {
  const until = performance.now() + milliseconds;
  let round = 0;
  for (; performance.now() < until; round += 1) {
    const { id } = sessions[round % sessions.length];
    await api.call('PATCH', `/sessions/${id}`, { title: `Session ${round}` });
    const { taskId } = await api.call('POST', `/sessions/${id}/prompt`, { prompt: `Step ${round}` });
    await api.call('POST', `/tasks/${taskId}/cancel`);
    await pause(GAP_MS);
  }
  return round;
}

/**
 * Row 26 of the results: memory of three open pages while events arrive: a terminal that prints, the list of events,
 * and the inbox.
 */
export async function measurePageMemory({ product, quick, long }) {
  const opened = await openBrowser(26);
  if (opened === undefined) return [];
  const console = await startConsole(product);
  const [writer] = await startWriters(console, 1);
  const sessions = [];
  for (let n = 0; n < SESSIONS; n += 1) sessions.push(await console.session(`Session ${n}`));
  const views = [
    { name: 'a session with a writing terminal', path: `/sessions/${writer.id}`, row: '.xterm-rows > div span' },
    { name: 'the events', path: '/settings/events', row: 'main [data-index]' },
    { name: 'the inbox', path: '/inbox', row: 'main h1' },
  ];
  const tabs = [];
  for (const { path, row } of views) {
    const tab = await openDashboard(opened.browser, console, row);
    await tab.open(path);
    tabs.push(tab);
  }
  const measureAll = async () => {
    const found = [];
    for (const tab of tabs) found.push(await memoryOf(tab));
    return found;
  };
  const duration = long ? DURATION_MS.long : quick ? DURATION_MS.quick : DURATION_MS.usual;
  const roundsBefore = await causeEvents(console, sessions, duration * WARM);
  const before = await measureAll();
  const rounds = await causeEvents(console, sessions, duration * (1 - WARM));
  const after = await measureAll();
  await opened.close();
  await console.close();
  const seconds = Math.round(duration / 1_000);
  return views.flatMap(({ name }, index) => {
    const shared = { against: `after ${roundsBefore} of ${rounds + roundsBefore} rounds of calls` };
    return [
      {
        ...shared,
        name: `heap of a page after ${seconds} s of events: ${name}`,
        unit: 'MiB',
        ours: [after[index].heap],
        limit: [before[index].heap],
        aim: atMost(1.1, 1),
      },
      {
        ...shared,
        name: `nodes of a page after ${seconds} s of events: ${name}`,
        unit: 'nodes',
        ours: [after[index].nodes],
        limit: [before[index].nodes],
        aim: atMost(1.1, 200),
      },
    ];
  });
}
