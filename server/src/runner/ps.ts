import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

/** The columns that `ps` has on every Unix. The start time is the last one, because it contains spaces. */
const COLUMNS = 'pid=,ppid=,pgid=,tpgid=,stat=,tty=,lstart=';
const LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S.*)$/;
const OUTPUT_MAX_BYTES = 16 * 1024 * 1024;

export interface ProcessStat {
  pid: number;
  /** Process state as one letter. `Z` is a process that has ended and waits to be reaped. */
  state: string;
  group: number;
  session: number;
  /** Foreground process group of the process's terminal, or -1 without a terminal. */
  foreground: number;
  /** Start time of the process: in clock ticks since boot on Linux, elsewhere the date as `ps` prints it. */
  startTime: string;
}

interface Row extends Omit<ProcessStat, 'session'> {
  parent: number;
  isSessionLeader: boolean;
  /** Name of the controlling terminal; null without one. */
  terminal: string | null;
}

/** The language and the time zone are fixed, because each caller must read the same start time for a process. */
const options = () =>
  ({ encoding: 'utf8', env: { ...process.env, LC_ALL: 'C', TZ: 'UTC0' }, maxBuffer: OUTPUT_MAX_BYTES }) as const;

/** Reads a process without `/proc`. Returns undefined if the process is gone, or if `ps` cannot be run. */
export function readByPs(pid: number): ProcessStat | undefined {
  try {
    const [row] = parse(execFileSync('ps', ['-o', COLUMNS, '-p', String(pid)], { ...options(), stdio: 'pipe' }));
    return row === undefined ? undefined : { ...row, session: row.isSessionLeader ? row.pid : row.group };
  } catch {
    return undefined;
  }
}

/** Lists all processes without `/proc`. Empty if `ps` cannot be run. */
export async function listByPs(): Promise<ProcessStat[]> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-A', '-o', COLUMNS], options());
    return withSessions(parse(stdout));
  } catch {
    return [];
  }
}

function parse(text: string): Row[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, group, foreground, state = '', terminal = '', startTime = ''] = LINE.exec(line) ?? [];
    if (pid === undefined) return [];
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      foreground: Number(foreground),
      state: state.charAt(0),
      isSessionLeader: state.includes('s'),
      terminal: /^[?-]+$/.test(terminal) ? null : terminal,
      startTime: startTime.trim(),
    };
  });
}

/**
 * Sessions of the processes in the previous list, by pid and start time. They are needed because the session of a
 * process can no longer be derived after its parent has ended.
 */
let lastSessions = new Map<string, number>();

/**
 * Adds the session of each process, which `ps` does not print on macOS: a process is in the session whose leader has
 * the same terminal, or else in that of its parent.
 */
function withSessions(rows: readonly Row[]): ProcessStat[] {
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  const leaders = new Map<string | null, number>();
  for (const { isSessionLeader, terminal, pid } of rows) if (isSessionLeader) leaders.set(terminal, pid);
  leaders.delete(null);
  const sessions = new Map<number, number>();
  const find = (row: Row): number => {
    if (row.isSessionLeader) return row.pid;
    const known = leaders.get(row.terminal) ?? lastSessions.get(keyOf(row));
    if (known !== undefined) return known;
    const parent = row.parent > 1 ? byPid.get(row.parent) : undefined;
    return parent === undefined ? row.group : sessionOf(parent);
  };
  const sessionOf = (row: Row): number => {
    const known = sessions.get(row.pid);
    if (known !== undefined) return known;
    // Ends the search if a pid that was reused during the listing makes a process its own ancestor.
    sessions.set(row.pid, row.group);
    const session = find(row);
    sessions.set(row.pid, session);
    return session;
  };
  const found = rows.map((row) => ({ ...row, session: sessionOf(row) }));
  lastSessions = new Map(found.map((each) => [keyOf(each), each.session]));
  return found;
}

const keyOf = ({ pid, startTime }: { pid: number; startTime: string }) => `${pid} ${startTime}`;
