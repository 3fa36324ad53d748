import { ConsoleError, fieldError } from '@agent-console/shared/errors';
import type { Command } from 'commander';
import { homeOf } from '../../config.ts';
import { endOrphanedServer, findRunner } from '../../runner/supervisor.ts';
import { askYesNo } from './confirm.ts';
import { helpWith } from './examples.ts';
import { describeWorkers } from './launch.ts';
import { print } from './output.ts';

/** Rejects `stop` inside a worker, because an agent must not end the console in which it runs. */
function refuseInsideWorker(env: NodeJS.ProcessEnv): void {
  if (!env.AGENT_CONSOLE_WORKER_ID) return;
  throw new ConsoleError(
    'PERMISSION_DENIED',
    'Workers cannot stop the console that they run in. Run this command in your own terminal.',
  );
}

/**
 * Asks the person whether the running workers may be ended. `workers` is their number.
 * @throws VALIDATION if nobody can be asked.
 */
async function mayEnd(workers: number): Promise<boolean> {
  const what = workers === 1 ? 'The running agent or terminal' : `${workers} running agents and terminals`;
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) {
    const reason = 'is required, because this command cannot ask for confirmation; without --yes, nothing is stopped';
    throw fieldError(
      '--yes',
      `${reason}. With --yes, this command ends ${workers === 1 ? 'the running agent or terminal' : what}`,
    );
  }
  return askYesNo(`${what} will be ended. Continue?`);
}

export function addStop(cli: Command): void {
  cli
    .command('stop')
    .description('Stop the server; agents keep running')
    .option('--all', 'Also end every agent, every terminal and the runner')
    .option('-y, --yes', 'With --all: end running agents and terminals without asking for confirmation')
    .addHelpText('after', helpWith(['stop --all']))
    .action(async ({ all, yes = false }: { all?: boolean; yes?: boolean }) => {
      refuseInsideWorker(process.env);
      const home = homeOf(process.env);
      if (await endOrphanedServer(home)) print('Stopped a server that was running without a runner.');
      const runner = await findRunner(home);
      if (runner === undefined) {
        print(`No console is running in ${home}.`);
        return;
      }
      try {
        const { server, workersAlive } = await runner.status();
        if (all === true) {
          if (!yes && workersAlive > 0 && !(await mayEnd(workersAlive))) {
            process.stderr.write('Nothing was stopped.\n');
            process.exitCode = 1;
            return;
          }
          await runner.stopAll();
          print(
            workersAlive === 0
              ? 'Stopped.'
              : `Stopped the console and ended ${workersAlive} ${workersAlive === 1 ? 'worker' : 'workers'}.`,
          );
          return;
        }
        await runner.stopServer();
        print(
          `${server === null ? 'The server was not running.' : 'Stopped the server.'} ${describeWorkers(workersAlive)}`,
        );
      } finally {
        runner.close();
      }
    });
}
