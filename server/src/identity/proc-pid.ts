import { readFile } from 'node:fs/promises';
import { PROCESS_ANCESTORS_MAX } from '@agent-console/shared/limits/access';

/** A process at one moment. Pid and start time together identify it permanently. */
export interface ProcessFacts {
  pid: number;
  ppid: number;
  /** Id of the Unix session: the pid of the process that called setsid. */
  session: number;
  /** Clock ticks from the boot of the machine to the start of the process. */
  startTime: string;
}

/** Reads `/proc/<pid>/stat`. Returns undefined if the process is gone or hidden. */
export async function processFacts(proc: string, pid: number): Promise<ProcessFacts | undefined> {
  const text = await readFile(`${proc}/${pid}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  // The second field of `stat`, the name of the executable in parentheses, may contain spaces and parentheses. So the
  // fields are split after the last parenthesis.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [, ppid, , session] = fields;
  const startTime = fields[19];
  if (ppid === undefined || session === undefined || startTime === undefined) return undefined;
  return { pid, ppid: Number(ppid), session: Number(session), startTime };
}

/**
 * Returns a process and its ancestors; `complete` is false if there are more than PROCESS_ANCESTORS_MAX. Returns
 * undefined if one of them ended during the search, because its pid may now belong to another process.
 */
export async function lineage(proc: string, pid: number) {
  const line: ProcessFacts[] = [];
  let at = pid;
  while (at > 0 && line.length < PROCESS_ANCESTORS_MAX) {
    const facts = await processFacts(proc, at);
    if (facts === undefined) return undefined;
    line.push(facts);
    at = facts.ppid;
  }
  return { line, complete: at === 0 };
}

/** Whether a process was started with this environment variable; undefined if its environment cannot be read. */
export async function startedWith(proc: string, pid: number, variable: string): Promise<boolean | undefined> {
  const environ = await readFile(`${proc}/${pid}/environ`, 'latin1').catch(() => undefined);
  return environ === undefined ? undefined : `\0${environ}`.includes(`\0${variable}=`);
}
