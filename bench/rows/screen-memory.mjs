import { medianAtMost } from '../support/aims.mjs';
import { pause } from '../support/processes.mjs';
import { startConsole } from '../support/product.mjs';

const AGENTS = 20;
/** Number of agents started before the measurement, so that the screens thread and its code are loaded. */
const WARM_UP = 3;
const SETTLE_MS = 3_000;
const MOST_MIB = 4;
/** Prints more lines of 110 characters than a screen's scrollback can contain. */
const PRINT = 'i=0; while [ $i -lt 1200 ]; do i=$((i+1)); printf "%0110d\\n" $i; done; exec sleep 100000';

/** Starts an agent that fills its screen's scrollback and then prints nothing. */
async function startAgent(console) {
  const session = await console.api.call('POST', '/sessions', { cwd: console.folder, agentId: 'printer' });
  const worker = await console.api.call('POST', `/sessions/${session.id}/workers`, {
    type: 'agent',
    cols: 120,
    rows: 40,
  });
  for (;;) {
    const { text } = await console.api.call('GET', `/workers/${worker.id}/screen`);
    if (text.includes('01200')) return;
    await pause(20);
  }
}

/** Row 11 of the results: the console's memory per agent screen with a full scrollback. */
export async function measureScreens({ product, quick }) {
  const rounds = quick ? 1 : 3;
  const each = [];
  for (let round = 0; round < rounds; round += 1) {
    const console = await startConsole(product);
    await console.api.call('POST', '/agents', { id: 'printer', name: 'Printer', command: ['/bin/sh', '-c', PRINT] });
    for (let n = 0; n < WARM_UP; n += 1) await startAgent(console);
    await pause(SETTLE_MS);
    const before = console.rssMiB();
    for (let n = 0; n < AGENTS; n += 1) await startAgent(console);
    await pause(SETTLE_MS);
    each.push((console.rssMiB() - before) / AGENTS);
    await console.close();
  }
  return [
    {
      name: 'our memory per agent, with its screen and 1 000 full lines',
      unit: 'MiB',
      ours: each,
      aim: medianAtMost(MOST_MIB),
    },
  ];
}
