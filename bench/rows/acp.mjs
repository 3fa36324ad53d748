import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { followEvents, openClient } from '../support/acp.mjs';
import { atMost, medianAtLeast, never } from '../support/aims.mjs';
import { program } from '../support/packages.mjs';
import { startConsole } from '../support/product.mjs';
import { percentile } from '../support/stats.mjs';

const MESSAGES = 1_000;
const CHUNKS = 100;
const EVERY_MS = 20;
const AGENT = program('limits/acp-agent.mjs');
const FLOOD = `flood ${MESSAGES} ${CHUNKS}`;
const WORDS = Array.from({ length: CHUNKS }, (_, at) => `word ${at} `).join('');

const nowMs = () => Number(process.hrtime.bigint()) / 1e6;

/** Returns the milliseconds between the sending and the arrival of each message. */
const waits = (file, arrivals) => JSON.parse(readFileSync(file, 'utf8')).map((sent, at) => arrivals[at] - sent);

/** Creates a session with a prompt, and returns the session once the task of the prompt has ended. */
async function prompt(console, initialPrompt, onEvent = () => {}) {
  let end = () => {};
  const ended = new Promise((resolve) => {
    end = resolve;
  });
  const events = await followEvents(console, (event) => {
    onEvent(event);
    if (event.type === 'task.ended') end();
  });
  const where = { cwd: console.folder, agentId: 'updater' };
  const session = await console.api.call('POST', '/sessions', { ...where, initialPrompt });
  await ended;
  events.close();
  return session;
}

async function messagesOf(console, { id }) {
  const rows = [];
  for (;;) {
    const page = await console.api.call('GET', `/sessions/${id}/messages?limit=500&skip=${rows.length}`);
    rows.push(...page.data);
    if (rows.length >= page.total) return rows.filter(({ role }) => role === 'agent');
  }
}

async function measureTicks(console, count) {
  const file = join(console.folder, 'sent.json');
  const direct = [];
  const sdk = await openClient(process.execPath, [AGENT], () => direct.push(nowMs()));
  await sdk.prompt(`ticks ${count} ${EVERY_MS} ${file}`);
  const limit = percentile(waits(file, direct), 0.5);
  await sdk.end();

  const arrivals = [];
  await prompt(console, `ticks ${count} ${EVERY_MS} ${file}`, ({ type, data }) => {
    if (type === 'conversation.grown') for (let n = 0; n < data.count; n += 1) arrivals.push(nowMs());
  });
  if (arrivals.length !== count) throw new Error(`${arrivals.length} of ${count} updates arrived`);
  const ours = percentile(waits(file, arrivals), 0.5);
  return { ours, limit };
}

async function measureFlood(console) {
  const updates = MESSAGES * CHUNKS;
  let received = 0;
  const sdk = await openClient(process.execPath, [AGENT], () => {
    received += 1;
  });
  let since = performance.now();
  await sdk.prompt(FLOOD);
  const limit = updates / ((performance.now() - since) / 1_000);
  await sdk.end();
  if (received !== updates) throw new Error(`the SDK's client received ${received} of ${updates} updates`);

  since = performance.now();
  const session = await prompt(console, FLOOD);
  const ours = updates / ((performance.now() - since) / 1_000);
  const rows = await messagesOf(console, session);
  const wrong = rows.filter(({ parts }) => parts[0].text !== WORDS).length + Math.abs(MESSAGES - rows.length);
  return { ours, limit, wrong };
}

/** Row 15 of the results: delay and throughput of an agent's updates over ACP. */
export async function measureAcp({ product, quick }) {
  const rounds = quick ? 2 : 5;
  const console = await startConsole(product);
  await console.api.call('POST', '/agents', {
    id: 'updater',
    name: 'Updater',
    command: [process.execPath, AGENT],
    driver: 'acp',
  });
  const ticks = { ours: [], limit: [] };
  const floods = { ours: [], limit: [] };
  let wrong = 0;
  for (let round = 0; round < rounds; round += 1) {
    const tick = await measureTicks(console, quick ? 100 : 200);
    ticks.ours.push(tick.ours);
    ticks.limit.push(tick.limit);
    const flood = await measureFlood(console);
    floods.ours.push(flood.ours);
    floods.limit.push(flood.limit);
    wrong += flood.wrong;
  }
  await console.close();
  const against = "the SDK's client";
  return [
    { name: 'update of an ACP agent → event, p50', unit: 'ms', ...ticks, against, aim: atMost(1, 5) },
    {
      name: `updates stored, ${MESSAGES} messages of ${CHUNKS} chunks`,
      unit: '1/s',
      ...floods,
      against: `${against}, which stores nothing`,
      aim: medianAtLeast(5_000),
    },
    { name: 'messages that are not whole', unit: 'wrong', ours: [wrong], aim: never(0) },
  ];
}
