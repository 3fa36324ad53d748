import { execFileSync } from 'node:child_process';
import { availableParallelism, loadavg, totalmem } from 'node:os';
import { short } from './stats.mjs';

/** Load average of the last minute. */
export const load = () => loadavg()[0];

/** Returns facts about the machine that help to interpret a result; no names or paths. */
export function machineFacts() {
  const git = execFileSync('git', ['--version']).toString().trim().replace('git version ', '');
  return {
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    git,
    loadAtStart: Number(short(load())),
  };
}
