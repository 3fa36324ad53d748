import fs from 'node:fs';

/**
 * Which descriptors new processes get. node-pty opens terminals without the close-on-exec flag, which Node cannot set:
 * left alone, a process would inherit the terminals of all others, could type into them, and would keep them from
 * hanging up.
 */
const terminals = new Set<number>();
/** Close-on-exec in the `flags` of `/proc/<pid>/fdinfo`. */
const O_CLOEXEC = 0o2000000;
let nothing: number | undefined;

/** Closes what this process inherited beside its three standard streams. Does nothing where there is no `/proc`. */
export function closeInherited(): void {
  for (const fd of openDescriptors()) {
    if (fd > 2 && isInheritable(fd)) fs.closeSync(fd);
  }
}

/** Says that a descriptor is a terminal, until `forgetTerminal`, to be called before it is closed. */
export function rememberTerminal(fd: number): void {
  terminals.add(fd);
}

export function forgetTerminal(fd: number): void {
  terminals.delete(fd);
}

/**
 * Runs node-pty's fork. In the new process it sets close-on-exec from descriptor 3 upwards, but stops at the first
 * number that is not open: so meanwhile all numbers below the last terminal are.
 */
export function withoutGaps<T>(fork: () => T): T {
  const last = Math.max(0, ...terminals);
  const fillers: number[] = [];
  try {
    for (let fd = 0; fd < last; ) {
      fd = openNothing();
      fillers.push(fd);
    }
    return fork();
  } finally {
    for (const fd of fillers) fs.closeSync(fd);
  }
}

/** Extends the descriptors of a process to be spawned, so that it finds nothing where our terminals are. */
export function withoutTerminals<T>(stdio: T[]): (T | number | 'ignore')[] {
  const extended: (T | number | 'ignore')[] = [...stdio];
  for (const fd of [...terminals].sort((a, b) => a - b)) {
    if (fd < stdio.length) continue;
    // From the fourth on, 'ignore' leaves a descriptor as it is.
    while (extended.length < fd) extended.push('ignore');
    nothing ??= openNothing();
    extended.push(nothing);
  }
  return extended;
}

const openNothing = () => fs.openSync('/dev/null', 'r+');

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
    // It was the one by which the folder was read.
    return false;
  }
}
