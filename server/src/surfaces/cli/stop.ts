import { ConsoleError } from '@agent-console/shared/errors';
import type { Command } from 'commander';
import { homeOf } from '../../config.ts';
import { endOrphanedServer, findRunner } from '../../runner/supervisor.ts';
import { workersLiveOn } from './local.ts';
import { print } from './output.ts';

/** Whoever works in the console does not end it: that is for the person who started it. */
function refuseInsideWorker(env: NodeJS.ProcessEnv): void {
  if (!env.AGENT_CONSOLE_WORKER_ID) return;
  throw new ConsoleError(
    'PERMISSION_DENIED',
    'This runs inside a worker of the console. Only people stop it, from a terminal of their own.',
  );
}

export function addStop(cli: Command): void {
  cli
    .command('stop')
    .description('Stop the server; agents keep running')
    .option('--all', 'end the agents and the runner too')
    .action(async ({ all }: { all?: boolean }) => {
      refuseInsideWorker(process.env);
      const home = homeOf(process.env);
      if (await endOrphanedServer(home)) print('Stopped a server whose runner was gone.');
      const runner = await findRunner(home);
      if (runner === undefined) {
        print(`No console runs in ${home}.`);
        return;
      }
      try {
        const { server, workersAlive } = await runner.status();
        if (all === true) {
          await runner.stopAll();
          print(
            workersAlive === 0
              ? 'Stopped.'
              : `Stopped, and ended ${workersAlive} ${workersAlive === 1 ? 'worker' : 'workers'}.`,
          );
          return;
        }
        await runner.stopServer();
        print(
          `${server === null ? 'The server was not running.' : 'Stopped the server.'} ${workersLiveOn(workersAlive)}`,
        );
      } finally {
        runner.close();
      }
    });
}
