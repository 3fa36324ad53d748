import { examineFiles } from './files.ts';
import type { Finding, Place } from './finding.ts';
import { examineLimits } from './limits.ts';
import { examineMachine } from './machine.ts';
import { examineDatabase } from './records.ts';
import { examineRunning } from './running.ts';
import { examineWorktrees } from './worktrees.ts';

/** All that `doctor` looks at: this machine, then the data directory, then what runs and the worktrees. */
export async function examine(place: Place): Promise<Finding[]> {
  const [machine, limits, files, { findings: database, records }] = await Promise.all([
    examineMachine(place),
    examineLimits(),
    examineFiles(place),
    examineDatabase(place),
  ]);
  const running = await examineRunning(place, records);
  const worktrees = records === undefined ? [] : await examineWorktrees(place, records);
  return [...machine, ...limits, ...files, ...database, ...running, ...worktrees];
}
