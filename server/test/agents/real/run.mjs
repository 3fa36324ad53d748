// `npm run test:agents`: installs the agents people use and runs the tests with them, where possible without a network.
// Arguments are passed to vitest. AGENT_CLIS is the folder in which the agents are installed.
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installAgents } from './harness/install.mjs';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const cache = resolve(process.env.AGENT_CLIS ?? join(tmpdir(), 'agent-console-clis'));
const missing = installAgents(cache);

const LOOPBACK_ONLY = 'ip link set lo up && exec "$@"';
const command = [
  process.execPath,
  join(root, 'node_modules', 'vitest', 'vitest.mjs'),
  'run',
  '--config',
  'vitest.agents.config.ts',
  ...process.argv.slice(2),
];

/** Whether a program can be started in its own network namespace, which only root on Linux may do. */
const unshared =
  spawnSync('unshare', ['-n', 'sh', '-c', LOOPBACK_ONLY, 'sh', 'true'], { stdio: 'ignore' }).status === 0;
if (!unshared)
  console.warn('NOT ISOLATED: no network namespace here (needs root on Linux); the agents see the network.');
const [file, ...args] = unshared ? ['unshare', '-n', 'sh', '-c', LOOPBACK_ONLY, 'sh', ...command] : command;
const { status } = spawnSync(file, args, { cwd: root, stdio: 'inherit', env: { ...process.env, AGENT_CLIS: cache } });
for (const line of missing) console.warn(`SKIPPED ${line}`);
process.exit(status ?? 1);
