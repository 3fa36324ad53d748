import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { END_GRACE_MS } from '@agent-console/shared/limits/processes';

/** Reads the processes of this machine. */
export interface ProcessReader {
  /** Returns the start time of a process, which identifies the process together with its pid and the boot. */
  startTimeOf(pid: number): string;
  /** Returns the living members of a Unix session. */
  sessionMembers(session: number): Promise<readonly { pid: number; startTime: string }[]>;
  bootId(): string;
}

const POLL_MS = 20;

/**
 * Stores in a file which process leads a Unix session, so that `endRecorded` can end the session after a crash of this
 * server. The file is written synchronously, right after the start of the process.
 */
export function recordProcess(processes: ProcessReader, file: string, pid: number): void {
  const record = { pid, startTime: processes.startTimeOf(pid), boot: processes.bootId() };
  writeFileSync(file, JSON.stringify(record), { mode: 0o600 });
}

/**
 * Ends the processes of the Unix session that `recordProcess` stored in a file, and waits until they have ended. They
 * get SIGTERM, and SIGKILL after `graceMs`. Does nothing if the file does not exist or is incomplete.
 */
export async function endRecorded(processes: ProcessReader, file: string, graceMs: number): Promise<void> {
  const record = await readFile(file, 'utf8').then(parse, () => undefined);
  if (record === undefined) return;
  const terminated = new Set<number>();
  const began = Date.now();
  for (;;) {
    const members = await membersOf(processes, record);
    if (members.length === 0) return;
    const waitedMs = Date.now() - began;
    if (waitedMs > graceMs + END_GRACE_MS) throw new Error(`process ${members[0]?.pid} did not end after SIGKILL`);
    for (const { pid } of members) {
      if (waitedMs >= graceMs) send(pid, 'SIGKILL');
      else if (!terminated.has(pid)) send(pid, 'SIGTERM');
      terminated.add(pid);
    }
    await delay(POLL_MS);
  }
}

interface ProcessRecord {
  pid: number;
  startTime: string;
  /** Missing in records of earlier versions. */
  boot?: string;
}

function parse(text: string): ProcessRecord | undefined {
  try {
    return JSON.parse(text) as ProcessRecord;
  } catch {
    // A crash of the machine may leave an incomplete file.
    return undefined;
  }
}

async function membersOf(processes: ProcessReader, { pid, startTime, boot = processes.bootId() }: ProcessRecord) {
  if (boot !== processes.bootId()) return [];
  const members = await processes.sessionMembers(pid);
  // If the process with this pid has another start time, the pid was reused. Linux does not reuse a pid while the Unix
  // session with this id has members, so all processes of the recorded session have ended.
  const leader = members.find((member) => member.pid === pid);
  return leader !== undefined && leader.startTime !== startTime ? [] : members;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The error is ignored, because it means that the process has already ended.
  }
}
