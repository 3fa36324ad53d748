import { medianAtMost } from '../support/aims.mjs';
import { program } from '../support/packages.mjs';
import { pause, rssMiB, startProgram, until } from '../support/processes.mjs';
import { startConsole } from '../support/product.mjs';

const AGENT = program('limits/acp-idle.sh');
const SESSIONS = 100;
/** Number of sessions opened before the measurement, so that their code is loaded and compiled. */
const WARM_UP = 10;
const SETTLE_MS = 3_000;
const MOST_MIB = 0.5;

async function openSession(console) {
  const session = await console.api.call('POST', '/sessions', { cwd: console.folder, agentId: 'idle' });
  const worker = await console.api.call('POST', `/sessions/${session.id}/workers`, { type: 'agent' });
  await until('an idle agent', async () => {
    const { workers } = await console.api.call('GET', `/sessions/${session.id}`);
    return workers.some(({ id, activityState }) => id === worker.id && activityState === 'idle');
  });
}

/** Returns how much the memory has grown since the warm-up, divided by the number of sessions added. */
async function growth(now, addOne) {
  for (let n = 0; n < WARM_UP; n += 1) await addOne();
  await pause(SETTLE_MS);
  const before = now();
  for (let n = 0; n < SESSIONS; n += 1) await addOne();
  await pause(SETTLE_MS);
  return (now() - before) / SESSIONS;
}

/** Row 16 of the results: the console's memory per idle session over ACP, excluding the agent's process. */
export async function measureAcpMemory({ product, quick }) {
  const rounds = quick ? 1 : 3;
  const ours = [];
  const limit = [];
  for (let round = 0; round < rounds; round += 1) {
    const clients = await startProgram(program('limits/acp-clients.mjs'), [AGENT]);
    const openClient = async () => {
      clients.send('open');
      await clients.lines.next();
    };
    limit.push(await growth(() => rssMiB(clients.pid), openClient));
    await clients.end();

    const console = await startConsole(product);
    await console.api.call('POST', '/agents', {
      id: 'idle',
      name: 'Idle',
      command: ['/bin/sh', AGENT],
      driver: 'acp',
    });
    ours.push(await growth(console.rssMiB, () => openSession(console)));
    await console.close();
  }
  return [
    {
      name: `our memory per idle ACP session, ${SESSIONS} sessions`,
      unit: 'MiB',
      ours,
      limit,
      against: "the SDK's clients in one process",
      aim: medianAtMost(MOST_MIB),
    },
  ];
}
