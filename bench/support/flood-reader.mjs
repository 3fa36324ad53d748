// A viewer in a process of its own that starts a flood in a terminal and reads all of it. Its argument is JSON, either
// {"plain": port} or {"console": {port, token}, "worker": {sessionId, id}}.
import { openPlain, watchWorker } from './terminal.mjs';

const spec = JSON.parse(process.argv[2]);
const viewer = spec.plain === undefined ? await watchWorker(spec.console, spec.worker) : await openPlain(spec.plain);
viewer.type('yes flooding this terminal with lines\r');
await viewer.untilBytes(1_000_000);
setInterval(() => viewer.reset(), 50);
process.stdout.write('{"flooding":true}\n');
process.stdin.on('close', () => process.exit(0)).resume();
