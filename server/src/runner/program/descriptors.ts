import fs from 'node:fs';

/**
 * Descriptors of terminals that new processes would inherit: node-pty opens terminals without the flag close-on-exec,
 * and Node cannot set this flag. A process that inherits a terminal could type into the terminal, and would prevent the
 * terminal's hang-up.
 */
const terminals = new Set<number>();
/** The close-on-exec flag in the field `flags` of `/proc/<pid>/fdinfo/<fd>`. */
const O_CLOEXEC = 0o2000000;
let devNull: number | undefined;

/** Closes inherited descriptors other than the three standard streams. Does nothing without `/proc`. */
export function closeInherited(): void {
  for (const fd of openDescriptors()) {
    if (fd > 2 && isInheritable(fd)) fs.closeSync(fd);
  }
}

/**
 * Registers a terminal's descriptor, so that new processes do not inherit it. `forgetTerminal` must be called before
 * the descriptor is closed.
 */
export function rememberTerminal(fd: number): void {
  terminals.add(fd);
}

export function forgetTerminal(fd: number): void {
  terminals.delete(fd);
}

/**
 * Runs node-pty's fork. The forked child sets close-on-exec on descriptors from 3 upwards, but stops at the first
 * number that is not open. So during the fork, every number below the highest terminal descriptor is kept open.
 */
export function withoutGaps<T>(fork: () => T): T {
  const last = Math.max(0, ...terminals);
  const fillers: number[] = [];
  try {
    for (let fd = 0; fd < last; ) {
      fd = openDevNull();
      fillers.push(fd);
    }
    return fork();
  } finally {
    for (const fd of fillers) fs.closeSync(fd);
  }
}

/**
 * Extends the stdio of a process to be spawned, so that the process does not inherit the runner's terminals: it gets
 * /dev/null in their place.
 */
export function withoutTerminals<T>(stdio: T[]): (T | number | 'ignore')[] {
  const extended: (T | number | 'ignore')[] = [...stdio];
  for (const fd of [...terminals].sort((a, b) => a - b)) {
    if (fd < stdio.length) continue;
    // 'ignore' fills the gap up to `fd`: in stdio, 'ignore' at index 3 and above does not change the descriptor of the
    // new process.
    while (extended.length < fd) extended.push('ignore');
    devNull ??= openDevNull();
    extended.push(devNull);
  }
  return extended;
}

const openDevNull = () => fs.openSync('/dev/null', 'r+');

function openDescriptors(): number[] {
  try {
    return fs.readdirSync('/proc/self/fd').map(Number);
  } catch {
    return [];
  }
}

function isInheritable(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(fs.readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    // The descriptor `fd` was open only while the list of descriptors was read. It is already closed.
    return false;
  }
}
