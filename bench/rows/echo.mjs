import { allOf, atMost, never } from '../support/aims.mjs';
import { program } from '../support/packages.mjs';
import { pause, startProgram } from '../support/processes.mjs';
import { startConsole } from '../support/product.mjs';
import { percentile } from '../support/stats.mjs';
import { openOurs, openPlain } from '../support/terminal.mjs';

/**
 * Pause between two keys in milliseconds: shorter than a person's pause, but long enough for each key to be shown
 * before the next is typed.
 */
const KEY_MS = 2;
/** Number of keys typed before each Enter. A terminal accepts lines of at most 4 096 characters. */
const KEYS_PER_LINE = 500;

/** Types keys one by one. Returns the milliseconds from each key press until the key is shown. */
async function keys(viewer, count) {
  const taken = [];
  for (let n = 0; n < count; n += 1) {
    viewer.reset();
    const since = performance.now();
    viewer.type('x');
    await viewer.untilBytes(1);
    taken.push(performance.now() - since);
    await pause(KEY_MS);
    if (n % KEYS_PER_LINE !== KEYS_PER_LINE - 1) continue;
    viewer.reset();
    viewer.type('\r');
    await viewer.untilText('x\r\n');
  }
  return taken;
}

async function quiet(viewer) {
  viewer.type('cat\r');
  await viewer.untilText('cat\r\n');
  await pause(200);
  return viewer;
}

/** Row 5 of the results: time until a typed key is shown, on an idle machine and next to a flooding terminal. */
export async function measureEcho({ product, quick }) {
  const rounds = quick ? 3 : 5;
  const count = quick ? 100 : 200;
  const console = await startConsole(product);
  const plain = await startProgram(program('limits/plain.mjs'));
  const session = await console.session();
  const ours = await quiet((await openOurs(console, session)).viewer);
  const beside = await quiet(await openPlain(plain.firstLine.port));
  const flooder = await console.api.call('POST', `/sessions/${session.id}/workers`, { type: 'terminal' });
  const { port, token } = console;
  const reader = program('support/flood-reader.mjs');

  const alone = { ours: [], plain: [] };
  const flooded = { ours: [], plain: [] };
  for (let round = 0; round < rounds; round += 1) {
    alone.plain.push(...(await keys(beside, count)));
    alone.ours.push(...(await keys(ours, count)));
  }
  for (let round = 0; round < rounds; round += 1) {
    const plainFlood = await startProgram(reader, [JSON.stringify({ plain: plain.firstLine.port })]);
    flooded.plain.push(...(await keys(beside, count)));
    await plainFlood.end();

    const worker = { sessionId: session.id, id: flooder.id };
    const ourFlood = await startProgram(reader, [JSON.stringify({ console: { port, token }, worker })]);
    flooded.ours.push(...(await keys(ours, count)));
    await ourFlood.end();
    await console.api.call('POST', `/workers/${flooder.id}/input`, { data: '\u0003' });
  }
  ours.close();
  beside.close();
  await plain.end();
  await console.close();
  const row = (when, { ours: mine, plain: limit }, name, share, aim) => ({
    name: `key → shown, ${when}, ${name}`,
    unit: 'ms',
    ours: [percentile(mine, share)],
    limit: [percentile(limit, share)],
    against: 'plain',
    ...(aim === undefined ? {} : { aim }),
  });
  return [
    row('alone', alone, 'median', 0.5, atMost(1.7)),
    row('alone', alone, '99 %', 0.99, atMost(2)),
    row('beside a flood', flooded, 'median', 0.5),
    row('beside a flood', flooded, '99 %', 0.99, allOf(never(15), atMost(4))),
  ];
}
