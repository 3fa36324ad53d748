import type { Command } from 'commander';
import { homeOf } from '../../config.ts';
import { findRunner } from '../../runner/supervisor.ts';
import { agentsLiveOn } from './local.ts';
import { print } from './output.ts';

export function addStop(cli: Command): void {
  cli
    .command('stop')
    .description('Stop the server; agents keep running')
    .option('--all', 'end the agents and the runner too')
    .action(async ({ all }: { all?: boolean }) => {
      const home = homeOf(process.env);
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
              : `Stopped, and ended ${workersAlive} ${workersAlive === 1 ? 'agent' : 'agents'}.`,
          );
          return;
        }
        await runner.stopServer();
        print(
          `${server === null ? 'The server was not running.' : 'Stopped the server.'} ${agentsLiveOn(workersAlive)}`,
        );
      } finally {
        runner.close();
      }
    });
}
