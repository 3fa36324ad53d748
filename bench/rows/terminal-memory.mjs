import { medianAtMost } from '../support/aims.mjs';
import { program } from '../support/packages.mjs';
import { pause, rssMiB, startProgram } from '../support/processes.mjs';
import { startConsole } from '../support/product.mjs';
import { openPlain } from '../support/terminal.mjs';

const STEPS = [50, 200];
/** Number of terminals opened and closed before the measurement, so that their code is loaded and compiled. */
const WARM_UP = 30;
const SETTLE_MS = 3_000;
const MOST_MIB = 0.25;

async function openTerminal(console) {
  const session = await console.session();
  return console.api.call('POST', `/sessions/${session.id}/workers`, { type: 'terminal' });
}

/**
 * Returns, for each number of terminals in `STEPS`, how much the memory has grown since the start, divided by that
 * number.
 */
async function growth(now, addOne) {
  await pause(SETTLE_MS);
  const before = now();
  const each = [];
  let open = 0;
  for (const step of STEPS) {
    for (; open < step; open += 1) await addOne();
    await pause(SETTLE_MS);
    each.push((now() - before) / step);
  }
  return each;
}

/** Row 7 of the results: the console's memory per idle terminal, excluding the terminal's own processes. */
export async function measureMemory({ product, quick }) {
  const rounds = quick ? 1 : 3;
  const ours = STEPS.map(() => []);
  const limit = STEPS.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    const plain = await startProgram(program('limits/plain.mjs'));
    const warm = await Promise.all(Array.from({ length: WARM_UP }, () => openPlain(plain.firstLine.port)));
    for (const viewer of warm) viewer.type('exit\r');
    const viewers = [];
    const plainEach = await growth(
      () => rssMiB(plain.pid),
      async () => viewers.push(await openPlain(plain.firstLine.port)),
    );
    for (const viewer of viewers) viewer.close();
    await plain.end();

    const console = await startConsole(product);
    for (let n = 0; n < WARM_UP; n += 1) {
      const { id } = await openTerminal(console);
      await console.api.call('DELETE', `/workers/${id}`);
    }
    const ourEach = await growth(console.rssMiB, () => openTerminal(console));
    await console.close();
    for (const [n] of STEPS.entries()) {
      ours[n].push(ourEach[n]);
      limit[n].push(plainEach[n]);
    }
  }
  return STEPS.map((step, n) => ({
    name: `our memory per idle terminal, ${step} terminals`,
    unit: 'MiB',
    ours: ours[n],
    limit: limit[n],
    against: 'plain, with a viewer each',
    aim: medianAtMost(MOST_MIB),
  }));
}
