import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { atLeast, atMost, medianAtMost, never } from '../support/aims.mjs';
import { program } from '../support/packages.mjs';
import { pause, rssMiB, startProgram, until } from '../support/processes.mjs';
import { startConsole } from '../support/product.mjs';
import { openOurs, openPlain, watchWorker } from '../support/terminal.mjs';
import { writeText } from '../support/text.mjs';

const BYTES = 100_000_000;
const MOST_MIB = 16;
const VIEWERS = 50;
const MOST_PER_VIEWER_MIB = 0.1;
const SETTLE_MS = 3_000;
/** Milliseconds without an acknowledgement after which a viewer that lags behind receives a new screen snapshot. */
const SILENT_MS = 2_500;
/** If limits/plain.mjs pauses a program's output for this long, the bench assumes that the output never continues. */
const PLAIN_MS = 3_000;

/** Returns the peak memory growth during `work`, together with the result of `work`. */
async function growth(now, work) {
  const before = now();
  let highest = before;
  const look = setInterval(() => {
    highest = Math.max(highest, now());
  }, 10);
  const result = await work();
  clearInterval(look);
  return { mib: Math.max(highest, now()) - before, result };
}

/**
 * Prints the file in a terminal, then creates the file `mark`. Returns a function that resolves to the milliseconds
 * until `mark` was created. Viewers may receive the last output later.
 */
function produce(viewer, file, mark) {
  rmSync(mark, { force: true });
  const since = Date.now();
  viewer.type(`stty -echo; cat '${file}'; : > '${mark}'\r`);
  return async () => {
    await until('the producer', () => existsSync(mark), { everyMs: 2 });
    return statSync(mark).mtimeMs - since;
  };
}

/** Runs one flood with a viewer that reads and, if `stalled`, another viewer that never reads. */
async function flood(console, { file, expected, mark, stalled }) {
  const { worker, viewer } = await openOurs(console, await console.session());
  const sleeper = stalled ? await watchWorker(console, worker) : undefined;
  sleeper?.socket.pause();
  viewer.reset();
  const { mib, result } = await growth(console.rssMiB, async () => {
    const since = performance.now();
    const produced = produce(viewer, file, mark);
    await viewer.untilBytes(expected.bytes);
    const rate = expected.bytes / 1_000 / (performance.now() - since);
    return { rate, ms: await produced() };
  });
  let wrong = viewer.gaps + viewer.restarts;
  if (sleeper !== undefined) {
    await pause(SILENT_MS);
    sleeper.socket.resume();
    await sleeper.untilBytes(1);
    sleeper.acknowledge();
    await sleeper.until(() => sleeper.restarts > 0);
    viewer.type('echo the end\r');
    await sleeper.untilText('the end\r\n');
    wrong += sleeper.gaps;
    sleeper.close();
  }
  viewer.close();
  return { mib, wrong, ...result };
}

/**
 * Prints one flood in a terminal whose only viewer never reads. Returns how much the console's memory grew, and the
 * duration.
 */
async function floodUnread(console, { file, mark }) {
  const { viewer } = await openOurs(console, await console.session());
  viewer.socket.pause();
  const { mib, result } = await growth(console.rssMiB, () => produce(viewer, file, mark)());
  viewer.close();
  return { mib, ms: result };
}

async function plainUnread(plain, { file, mark }) {
  const viewer = await openPlain(plain.firstLine.port);
  viewer.socket.pause();
  const { mib } = await growth(
    () => rssMiB(plain.pid),
    async () => {
      produce(viewer, file, mark);
      await pause(PLAIN_MS);
    },
  );
  viewer.close();
  return mib;
}

/** Returns how much memory each viewer uses when one terminal has many viewers. */
async function perViewer(open, now) {
  const warm = [await open(), await open()];
  await pause(SETTLE_MS);
  const before = now();
  const viewers = [];
  for (let n = 0; n < VIEWERS; n += 1) viewers.push(await open());
  await pause(SETTLE_MS);
  const each = (now() - before) / VIEWERS;
  for (const viewer of [...warm, ...viewers]) viewer.close();
  return each;
}

/** Row 9 of the results: what viewers cost, especially one that never reads. */
export async function measureViewers({ product, quick }) {
  const rounds = quick ? 1 : 5;
  const console = await startConsole(product);
  const file = join(console.folder, 'text');
  const flow = { file, expected: writeText(file, BYTES), mark: join(console.folder, 'done') };
  // Warm-up: compiles code and allocates buffers before the comparison.
  await flood(console, flow);
  const unread = [];
  const plainUnreadMib = [];
  const beside = [];
  const alone = [];
  for (let round = 0; round < rounds; round += 1) {
    alone.push(await flood(console, flow));
    beside.push(await flood(console, { ...flow, stalled: true }));
    unread.push(await floodUnread(console, flow));
    const plain = await startProgram(program('limits/plain.mjs'));
    plainUnreadMib.push(await plainUnread(plain, flow));
    await plain.end();
  }
  const { worker, viewer } = await openOurs(console, await console.session());
  const each = await perViewer(() => watchWorker(console, worker), console.rssMiB);
  viewer.close();
  await console.close();
  const plain = await startProgram(program('limits/plain.mjs'));
  const host = await openPlain(plain.firstLine.port);
  const plainEach = await perViewer(
    () => openPlain(plain.firstLine.port, host.id),
    () => rssMiB(plain.pid),
  );
  host.close();
  await plain.end();
  const never100 = 'a viewer that never reads 100 MB';
  return [
    {
      name: `${never100}: memory growth of server + runner`,
      unit: 'MiB',
      ours: unread.map(({ mib }) => mib),
      limit: plainUnreadMib,
      against: 'plain, which stops the producer',
      aim: never(MOST_MIB),
    },
    {
      name: `${never100}, next to a viewer that reads: memory growth`,
      unit: 'MiB',
      ours: beside.map(({ mib }) => mib),
      limit: alone.map(({ mib }) => mib),
      against: 'the reading viewer alone',
      aim: never(MOST_MIB),
    },
    {
      name: `${never100}: time of the producer`,
      unit: 'ms',
      ours: unread.map(({ ms }) => ms),
      limit: alone.map(({ ms }) => ms),
      against: 'a viewer that reads',
      aim: atMost(1.2),
    },
    {
      name: `${never100}: speed of a reading viewer next to it`,
      unit: 'MB/s',
      ours: beside.map(({ rate }) => rate),
      limit: alone.map(({ rate }) => rate),
      against: 'the reading viewer alone',
      aim: atLeast(0.8),
    },
    {
      name: 'gaps, duplicates and unexpected snapshots, in both cases',
      unit: 'times',
      ours: [[...alone, ...beside].reduce((sum, { wrong }) => sum + wrong, 0)],
      aim: never(0),
    },
    {
      name: `our memory per viewer, ${VIEWERS} viewers of one terminal`,
      unit: 'MiB',
      ours: [each],
      limit: [plainEach],
      against: 'plain',
      aim: medianAtMost(MOST_PER_VIEWER_MIB),
    },
  ];
}
