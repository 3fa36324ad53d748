// A minimal agent of the Agent Client Protocol. The prompt decides what the agent sends:
//   flood <messages> <chunks>       sends messages of <chunks> chunks each, as fast as stdout accepts them
//   ticks <count> <every ms> <file> sends messages at intervals and writes the time of each to the file
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const chunk = (messageId, text) =>
  send({
    method: 'session/update',
    params: {
      sessionId: 'bench',
      update: { sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } },
    },
  });

async function flood(messages, chunks) {
  for (let message = 0; message < messages; message += 1) {
    for (let at = 0; at < chunks; at += 1) {
      if (!chunk(`m${message}`, `word ${at} `)) await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
  }
}

async function ticks(count, everyMs, file) {
  const times = [];
  for (let at = 0; at < count; at += 1) {
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    times.push(Number(process.hrtime.bigint()) / 1e6);
    chunk(`t${at}`, `tick ${at}`);
  }
  writeFileSync(file, JSON.stringify(times));
}

async function prompted({ prompt }) {
  const [what, first, second, file] = prompt.at(-1).text.trim().split(' ');
  if (what === 'flood') await flood(Number(first), Number(second));
  else await ticks(Number(first), Number(second), file);
  return { stopReason: 'end_turn' };
}

const answers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { sessionCapabilities: { systemPrompt: {} } } }),
  'session/new': () => ({ sessionId: 'bench' }),
  'session/prompt': prompted,
};

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined && method !== undefined) send({ id, result: await answers[method](params) });
});
