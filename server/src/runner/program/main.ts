import path from 'node:path';
import { parseArgs } from 'node:util';
import { RUNNER_IDLE_MS, RUNNER_START_MS, RUNNER_WATCH_MS } from '@agent-console/shared/limits/runner';
import { prepareHome } from '../paths.ts';
import { closeInherited } from './descriptors.ts';
import { journal } from './journal.ts';
import { becomeOnlyRunner, runnerAnswers } from './lock.ts';
import { startRunner } from './runner.ts';

/**
 * The runner program: `runner.js --home <dir> [--version <text>] [--idle-ms <n>] [--watch-ms <n>]`.
 * Exits with 0 when another runner has the data directory already.
 */
const LOCK_RETRY_MS = 20;
const { values } = parseArgs({
  options: {
    home: { type: 'string' },
    version: { type: 'string', default: 'unknown' },
    'idle-ms': { type: 'string', default: String(RUNNER_IDLE_MS) },
    'watch-ms': { type: 'string', default: String(RUNNER_WATCH_MS) },
  },
});

// Before anything else: a hang-up or a bug in one corner must not end the processes of all others.
process.on('SIGHUP', () => undefined);
process.on('uncaughtException', (error) => journal(`unexpected error: ${error.stack ?? error.message}`));
process.on('unhandledRejection', (reason) => journal(`unexpected rejection: ${String(reason)}`));
process.umask(0o077);
closeInherited();

try {
  if (values.home === undefined) throw new Error('--home is missing: name the data directory');
  const home = prepareHome(path.resolve(values.home));
  while (!(await becomeOnlyRunner(home))) {
    // One that is about to end answers no more; its place is free in a moment.
    if (await runnerAnswers(home)) {
      journal('another runner has this data directory');
      process.exit(0);
    }
    if (performance.now() > RUNNER_START_MS)
      throw new Error('another runner has this data directory, but does not answer');
    await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS));
  }
  const runner = await startRunner({
    home,
    version: values.version,
    idleMs: Number(values['idle-ms']),
    watchMs: Number(values['watch-ms']),
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void runner.stopAll(signal));
} catch (error) {
  journal(`the runner could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  process.exit(1);
}
