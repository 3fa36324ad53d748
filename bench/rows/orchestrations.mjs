import { join } from 'node:path';
import { atMost } from '../support/aims.mjs';
import { fillOrchestrations } from '../support/fill-orchestrations.mjs';
import { startConsole } from '../support/product.mjs';
import { makeRepository } from '../support/repository.mjs';

const STORED = 10_000;
const AGENTS = 100;
const TOGETHER = 20;
const [FEW, MANY] = [10, 1_000];

async function timed(call) {
  const since = performance.now();
  const answer = await call();
  return { ms: performance.now() - since, answer };
}

async function repositoryOf(console) {
  const path = join(console.folder, 'repository');
  await makeRepository(path, 100);
  const { id } = await console.api.call('POST', '/repositories', { path });
  return id;
}

/** Creates an orchestration whose agents do nothing. */
function create(console, repositoryId, count, more = {}) {
  const agents = Array.from({ length: count }, (_, n) => ({
    role: 'engineer',
    task: `Part ${n}: read it and say what it does`,
    agenticTool: console.agentId,
    allowFailure: true,
  }));
  return console.api.call('POST', '/orchestrations', { objective: 'Read all parts', repositoryId, agents, ...more });
}

const cancel = (console, id) => console.api.call('POST', `/orchestrations/${id}/cancel`);

/** Polls the events until this many agents have started. Returns the event of the last start. */
async function started(console, id, count) {
  let after = 0;
  const found = [];
  while (found.length < count) {
    const { data } = await console.api.call('GET', `/orchestrations/${id}/events?after=${after}&limit=500`);
    after = data.at(-1)?.id ?? after;
    found.push(...data.filter(({ eventType }) => eventType === 'agent_started'));
  }
  return found.at(-1);
}

/** Ends agents one after another. Returns the times from the end of each agent to the start of the next one. */
async function completions(console, repositoryId, count, wanted) {
  const times = [];
  while (times.length < wanted) {
    const options = { strategy: 'sequential', isolation: 'shared', start: true };
    const { id } = await create(console, repositoryId, count, options);
    for (let n = 1; n < count && times.length < wanted; n += 1) {
      const { data } = await started(console, id, n);
      const { ms } = await timed(async () => {
        await console.api.call('POST', `/tasks/${data.taskId}/cancel`);
        await started(console, id, n + 1);
      });
      times.push(ms);
    }
    await cancel(console, id);
  }
  return times;
}

/**
 * Row 19 of the results: time from the end of one agent of an orchestration to the start of the next, time to start
 * many agents, and time to read the status in a database with many orchestrations.
 */
export async function measureOrchestrations({ product, quick }) {
  const console = await startConsole(product);
  const repositoryId = await repositoryOf(console);
  const steps = quick ? 20 : 60;
  await completions(console, repositoryId, FEW, 5);
  const few = await completions(console, repositoryId, FEW, steps);
  const many = await completions(console, repositoryId, MANY, steps);

  const together = [];
  const delegated = [];
  for (let round = 0; round < (quick ? 2 : 5); round += 1) {
    const since = performance.now();
    const answers = await Promise.all(
      Array.from({ length: TOGETHER }, (_, n) => {
        const prompt = `Part ${n} of round ${round}: read it and say what it does`;
        return console.api.call('POST', '/delegations', { repositoryId, agentId: console.agentId, prompt });
      }),
    );
    delegated.push(performance.now() - since);
    await Promise.all(answers.map(({ sessionId }) => console.api.call('POST', `/sessions/${sessionId}/stop`)));
    const { id } = await create(console, repositoryId, TOGETHER);
    const begun = performance.now();
    await console.api.call('POST', `/orchestrations/${id}/start`);
    // This row is compared with `POST /delegations`, which returns once the agent runs. So the measurement ends only
    // when all agents run.
    await started(console, id, TOGETHER);
    for (;;) {
      const { data } = await console.api.call('GET', `/delegations?limit=${TOGETHER}`);
      if (data.every(({ state }) => state === 'prompting' || state === 'handed_over')) break;
    }
    together.push(performance.now() - begun);
    await cancel(console, id);
  }

  const large = await startConsole(product);
  const of = new Map();
  for (const each of [console, large]) {
    const repository = each === console ? repositoryId : await repositoryOf(each);
    of.set(each, (await create(each, repository, AGENTS)).id);
  }
  await large.stopServer();
  fillOrchestrations(large.home, { orchestrationId: of.get(large), count: STORED });
  await large.runServer();
  const status = (each) => timed(() => each.api.call('GET', `/orchestrations/${of.get(each)}`));
  const among = [];
  const alone = [];
  for (let n = 0; n < (quick ? 40 : 200); n += 1) {
    alone.push((await status(console)).ms);
    among.push((await status(large)).ms);
  }
  await large.close();
  await console.close();
  const ofFew = `of ${FEW} agents`;
  return [
    {
      name: `end of an agent → start of the next, of ${MANY} agents`,
      unit: 'ms',
      ours: many,
      limit: few,
      against: ofFew,
      aim: atMost(2),
    },
    {
      name: `start of ${TOGETHER} agents of an orchestration`,
      unit: 'ms',
      ours: together,
      limit: delegated,
      against: `${TOGETHER} delegations at once`,
      aim: atMost(1.3),
    },
    {
      name: `status of ${AGENTS} agents among ${STORED} stored orchestrations`,
      unit: 'ms',
      ours: among,
      limit: alone,
      against: 'in a small database',
      aim: atMost(3),
    },
  ];
}
