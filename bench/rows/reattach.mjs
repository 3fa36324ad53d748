import { never } from '../support/aims.mjs';
import { pause, until } from '../support/processes.mjs';
import { startConsole } from '../support/product.mjs';
import { openOurs, watchWorker } from '../support/terminal.mjs';

/** The runner restarts a server without a pause if the server ran for at least this long before it died. */
const STEADY_MS = 5_500;
const MOST_MS = 1_000;
/** About 20 MB/s, so that the output printed while the server is away stays within the log. */
const FLOOD = 'stty -echo; while :; do seq 100000 115000; sleep 0.005; done\r';
const SEEN_BYTES = 2_000_000;
const PAGE_BYTES = 262_144;

/**
 * Tries to connect repeatedly, as a browser does, until it succeeds. Returns a viewer of the output from `fromOffset`
 * on.
 */
async function reconnect(console, worker, fromOffset) {
  for (;;) {
    try {
      return await watchWorker(console, worker, fromOffset);
    } catch {
      await pause(5);
    }
  }
}

async function stored(console, worker, from, to) {
  const pages = [];
  for (let offset = from; offset < to; ) {
    const query = `sinceOffset=${offset}&format=base64&maxBytes=${Math.min(PAGE_BYTES, Math.max(64, to - offset))}`;
    const page = await console.api.call('GET', `/workers/${worker.id}/output?${query}`);
    if (page.offset !== offset || page.nextOffset === offset) return Buffer.alloc(0);
    pages.push(Buffer.from(page.data, 'base64'));
    offset = page.nextOffset;
  }
  return Buffer.concat(pages).subarray(0, to - from);
}

/**
 * Row 10 of the results: time from `kill -9` of the server until the viewer of a flooding terminal gets output again,
 * and how often the viewer's output had gaps or differed from the log.
 */
export async function measureReattach({ product, quick }) {
  const rounds = quick ? 2 : 7;
  const console = await startConsole(product);
  const ours = [];
  let wrong = 0;
  let { worker, viewer } = await openOurs(console, await console.session());
  viewer.type(FLOOD);
  for (let round = 0; round < rounds; round += 1) {
    await pause(STEADY_MS);
    viewer.reset();
    const from = viewer.next;
    await viewer.untilBytes(SEEN_BYTES);
    const pid = console.serverPid();
    const killedAt = performance.now();
    process.kill(pid, 'SIGKILL');
    const { next } = viewer;
    const seen = viewer.contents();
    viewer.close();
    const again = await reconnect(console, worker, next);
    await again.untilBytes(1);
    ours.push(performance.now() - killedAt);
    await until('the new server', () => console.serverPid() !== pid);
    const kept = await stored(console, worker, from, next);
    wrong += Number(!kept.equals(seen)) + again.gaps + again.restarts;
    viewer = again;
  }
  viewer.close();
  await console.close();
  return [
    {
      name: 'kill -9 of the server in a flood → next new byte at a reconnecting viewer',
      unit: 'ms',
      ours,
      aim: never(MOST_MS),
    },
    {
      name: `differences between a viewer and the log, gaps and duplicates, of ${rounds}`,
      unit: 'times',
      ours: [wrong],
      aim: never(0),
    },
  ];
}
