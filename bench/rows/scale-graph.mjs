import { join } from 'node:path';
import { medianAtMost } from '../support/aims.mjs';
import { openBrowser, openDashboard } from '../support/browser.mjs';
import { register } from '../support/first-session.mjs';
import { startConsole } from '../support/product.mjs';
import { makeRepository } from '../support/repository.mjs';
import { measureView } from '../support/views.mjs';

const [FEW, MANY] = [10, 200];
/** Number of agents in each stage of the orchestration. */
const WIDE = 25;
const NODE = '[data-agent="agent-0"]';
const MOVES = 60;
/** Frame interval of a 60 Hz display, plus about 1 ms for the precision of the clock. */
const FRAME_MS = 17.7;

function createRun(console, repositoryId, count) {
  const agents = Array.from({ length: count }, (_, n) => ({
    agentId: `agent-${n}`,
    role: 'engineer',
    task: 'Wait',
    agenticTool: console.agentId,
    dependencies: n < WIDE ? [] : [`agent-${n - WIDE}`, `agent-${(n * 7) % WIDE}`],
  }));
  const run = { objective: `${count} agents`, repositoryId, strategy: 'adaptive', agents };
  return console.api.call('POST', '/orchestrations', run);
}

/** Runs in the page: moves and zooms the graph once a frame, and returns the milliseconds between frames. */
async function moveInPage(moves) {
  const pane = document.querySelector('.react-flow__pane');
  const { x, y, width, height } = pane.getBoundingClientRect();
  const at = { clientX: x + width / 2, clientY: y + height / 2, bubbles: true, cancelable: true };
  const times = [];
  for (let move = 0; move < moves; move += 1) {
    const direction = move % 20 < 10 ? 1 : -1;
    const isZoom = move % 4 === 0;
    const since = performance.now();
    const delta = isZoom ? { deltaY: -10 * direction } : { deltaX: 15 * direction };
    pane.dispatchEvent(new WheelEvent('wheel', { ...delta, ...at, ctrlKey: isZoom }));
    await new Promise(requestAnimationFrame);
    times.push(performance.now() - since);
  }
  return times;
}

/** Row 27 of the results: how fast the dashboard shows the graph of a run of 200 agents. */
export async function measureGraph({ product, quick }) {
  const opened = await openBrowser(27);
  if (opened === undefined) return [];
  const { browser } = opened;
  const console = await startConsole(product);
  const path = join(console.folder, 'repository');
  await makeRepository(path, 10);
  const { id: repositoryId } = await register(console, path);
  const [small, large] = [await createRun(console, repositoryId, FEW), await createRun(console, repositoryId, MANY)];
  const view = ({ id }) => ({ console, path: `/runs/${id}?view=graph` });
  const name = `graph of ${MANY} agents`;
  const against = `${FEW} agents`;
  const move = (page) => page.evaluate(moveInPage, MOVES);
  const rows = await measureView({
    ...{ browser, name, against, large: view(large), small: view(small) },
    row: NODE,
    rounds: quick ? 1 : 3,
    actions: { 'moving and zooming': move },
  });
  // Measures the frames separately from the traces, because recording a trace would slow the frames down.
  const frames = [];
  for (const run of [small, large]) {
    const tab = await openDashboard(browser, console, NODE);
    await tab.open(view(run).path);
    await move(tab.page);
    frames.push(await move(tab.page));
    await tab.close();
  }
  await opened.close();
  await console.close();
  const [limit, ours] = frames;
  return [
    ...rows,
    { name: `${name}: frame while moving`, unit: 'ms', ours, limit, against, aim: medianAtMost(FRAME_MS) },
  ];
}
