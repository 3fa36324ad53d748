import { ConsoleError } from '@agent-console/shared/errors';
import type { Command } from 'commander';
import { homeOf } from '../../config.ts';
import { endOrphanedServer, findRunner } from '../../runner/supervisor.ts';
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

export function addStop(cli: Command): void {
  cli
    .command('stop')
    .description('Stop the server; agents keep running')
    .option('--all', 'Also end every agent, every terminal and the runner')
    .addHelpText('after', helpWith(['stop --all']))
    .action(async ({ all }: { all?: boolean }) => {
      refuseInsideWorker(process.env);
      const home = homeOf(process.env);
      if (await endOrphanedServer(home)) print('Stopped a server whose runner had ended.');
      const runner = await findRunner(home);
      if (runner === undefined) {
        print(`No console is running in ${home}.`);
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
          `${server === null ? 'The server was not running.' : 'Stopped the server.'} ${describeWorkers(workersAlive)}`,
        );
      } finally {
        runner.close();
      }
    });
}
