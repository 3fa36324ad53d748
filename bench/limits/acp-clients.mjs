// Clients of the Agent Client Protocol, of the protocol's own SDK, in one process. Each line on stdin opens one more,
// with an idle conversation of the agent that is named as the first argument.
import { createInterface } from 'node:readline';
import { openClient } from '../support/acp.mjs';

const [agent] = process.argv.slice(2);
const open = [];
process.stdout.write('{"ready":true}\n');
for await (const _ of createInterface({ input: process.stdin })) {
  open.push(await openClient('/bin/sh', [agent]));
  process.stdout.write(`${JSON.stringify({ open: open.length })}\n`);
}
