import path from 'node:path';
import { parseArgs } from 'node:util';
import {
  RUNNER_CHECK_MS,
  RUNNER_IDLE_MS,
  RUNNER_START_MS,
  SERVER_HANG_MS,
  SERVER_READY_MS,
} from '@agent-console/shared/limits/runner';
import { prepareHome } from '../paths.ts';
import { closeInherited } from './descriptors.ts';
import { journal } from './journal.ts';
import { claimHome, isListening } from './lock.ts';
import { startRunner } from './runner.ts';

/**
 * The runner program: `runner.js --home <dir> [--version <text>]`, and for tests `--idle-ms`, `--watch-ms`, `--ready-ms`
 * and `--hang-ms`, which replace limits. Exits with 0 when another runner owns the data directory.
 */

const LOCK_RETRY_MS = 20;
const { values } = parseArgs({
  options: {
    home: { type: 'string' },
    version: { type: 'string', default: 'unknown' },
    'idle-ms': { type: 'string', default: String(RUNNER_IDLE_MS) },
    'watch-ms': { type: 'string', default: String(RUNNER_CHECK_MS) },
    'ready-ms': { type: 'string', default: String(SERVER_READY_MS) },
    'hang-ms': { type: 'string', default: String(SERVER_HANG_MS) },
  },
});

// The handlers are installed first, so that neither SIGHUP nor a bug in one part ends the runner and all its workers.
process.on('SIGHUP', () => undefined);
process.on('uncaughtException', (error) => journal(`unexpected error: ${error.stack ?? error.message}`));
process.on('unhandledRejection', (reason) => journal(`unexpected rejection: ${String(reason)}`));
process.umask(0o077);
closeInherited();

try {
  if (values.home === undefined) throw new Error('--home is missing. Set it to the data directory');
  const home = prepareHome(path.resolve(values.home));
  await becomeOnlyRunner(home);
  const runner = await startRunner({
    home,
    version: values.version,
    idleMs: Number(values['idle-ms']),
    watchMs: Number(values['watch-ms']),
    readyMs: Number(values['ready-ms']),
    hangMs: Number(values['hang-ms']),
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void runner.stopAll(signal));
} catch (error) {
  journal(`the runner could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  process.exit(1);
}

/**
 * Makes this process the only runner of the data directory. Waits for an earlier runner that is about to end, but exits
 * if that runner still listens.
 * @throws when the earlier runner neither ends nor listens within RUNNER_START_MS.
 */
async function becomeOnlyRunner(home: string): Promise<void> {
  let isReported = false;
  for (;;) {
    if (await isListening(home)) {
      journal('another runner owns this data directory');
      process.exit(0);
    }
    const owner = claimHome(home);
    if (owner === null) return;
    const state = `${home}/runner.lock says that process ${owner.pid} owns this data directory, but that process does not listen on the socket of a runner`;
    if (!isReported) journal(`${state}; waiting for it to end or to answer`);
    isReported = true;
    if (performance.now() > RUNNER_START_MS) {
      throw new Error(`${state}. Inspect the process (ps -fp ${owner.pid}). If it is not a runner, delete runner.lock`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS));
  }
}
