// Runs clients from the SDK of the Agent Client Protocol in one process. For each line on stdin, a new client starts
// the agent program (the first argument) and opens an idle conversation with it.
import { createInterface } from 'node:readline';
import { openClient } from '../support/acp.mjs';

const [agent] = process.argv.slice(2);
const open = [];
process.stdout.write('{"ready":true}\n');
for await (const _ of createInterface({ input: process.stdin })) {
  open.push(await openClient('/bin/sh', [agent]));
  process.stdout.write(`${JSON.stringify({ open: open.length })}\n`);
}
