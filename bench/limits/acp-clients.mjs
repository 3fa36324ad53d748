// Runs clients from the SDK of the Agent Client Protocol in one process. Each line on stdin opens another client, which
// starts the agent program given as the first argument and opens an idle conversation with it.
import { createInterface } from 'node:readline';
import { openClient } from '../support/acp.mjs';

const [agent] = process.argv.slice(2);
const open = [];
process.stdout.write('{"ready":true}\n');
for await (const _ of createInterface({ input: process.stdin })) {
  open.push(await openClient('/bin/sh', [agent]));
  process.stdout.write(`${JSON.stringify({ open: open.length })}\n`);
}
