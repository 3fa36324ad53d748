import { existsSync } from 'node:fs';
import { ConsoleError } from '@agent-console/shared/errors';

/** Removes user names and passwords from every URL in a text. The user name of an ssh URL is not secret and remains. */
export function redact(text: string): string {
  return text.replace(/\b([a-z][a-z0-9+.-]*:\/\/)([^\s/'"]*)@/gi, (_, scheme: string, who: string) =>
    /^(git\+)?ssh:/i.test(scheme) ? `${scheme}${who.split(':')[0]}@` : scheme,
  );
}

/** Messages of git which show that a command failed because another git process was running. */
const TRANSIENT = [
  /failed to read \S*worktrees\/[^/]+\/(commondir|gitdir|HEAD)/,
  /Unable to create '.*\.lock': File exists/,
  /could not lock config file .*: File exists/,
];

/**
 * Whether a failed command may succeed when retried, because its error output shows that another git process was
 * running.
 */
export function isTransient(stderr: string): boolean {
  return TRANSIENT.some((pattern) => pattern.test(stderr));
}

/** Returns the error output of a failed git command, or an empty string for any other error. */
export function stderrOf(error: unknown): string {
  if (!(error instanceof ConsoleError)) return '';
  return typeof error.details.stderr === 'string' ? error.details.stderr : '';
}

/** Returns the line of git's error output that states the reason. */
export function reasonOf(stderr: string): string {
  const lines = stderr.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  const reason = lines.find((line) => /^(fatal|error|ERROR):/.test(line)) ?? lines.at(-1) ?? 'git gave no reason';
  return reason.replace(/^(fatal|error|ERROR):\s*/, '');
}

export interface Failure {
  /** The git subcommand, e.g. `worktree add`. */
  command: string;
  exitCode: number | null;
  stderr: string;
  /** Repository settings that git did not use, because they would start programs. */
  unused?: readonly string[];
}

/**
 * Returns advice if repository settings that git did not use may have caused the failure; otherwise an empty string.
 */
export function unusedSettingsAdvice(error: unknown): string {
  const unused = error instanceof ConsoleError ? error.details.unused : undefined;
  if (!Array.isArray(unused) || unused.length === 0) return '';
  const advice =
    'If you trust these settings, set them with git config --global, or in a file that your own configuration includes with includeIf.';
  return ` These settings are not used, because they start programs and only the repository's own configuration sets them: ${unused.join(', ')}. ${advice}`;
}

/** Advice for failures whose cause `messageFor` does not recognize, by git command. */
const ADVICE: Readonly<Record<string, string>> = {
  'merge-tree': 'Check the objects of the repository with git fsck, then try again.',
  'update-ref':
    'Make sure that the user who runs the console can write to the repository, and check the repository with git fsck. Then try again.',
};

/** Creates the error for a failed git command. If the cause is known, the message says what to do about it. */
export function gitFailed({ command, exitCode, stderr: printed, unused = [] }: Failure): ConsoleError {
  const stderr = redact(printed);
  const details = { command, exitCode, stderr, ...(unused.length > 0 && { unused }) };
  return new ConsoleError('GIT_FAILED', messageFor(command, stderr, unused), details);
}

function messageFor(command: string, stderr: string, unused: readonly string[]): string {
  const filters = unused.map((each) => each.replace(/^filter\./, ''));
  const name = filters.find((each) => stderr.includes(`filter ${each} failed`));
  if (name !== undefined) {
    const why = `This repository's own configuration sets the filter ${name}, which starts a program. The console starts such a program only if your own configuration also sets it. Without this filter, the files would have wrong contents.`;
    const advice = `Inspect the filter with: git config --get-regexp '^filter[.]${name}[.]'. If you trust the filter, set the same values with git config --global (for Git LFS: git lfs install), and try again.`;
    return `${why} ${advice}`;
  }
  const owned = /dubious ownership in repository at '(.*)'/.exec(stderr)?.[1];
  if (owned !== undefined) {
    const advice = `git config --global --add safe.directory '${owned}'`;
    return `git does not trust ${owned}, which belongs to another user. If you trust it, run: ${advice}`;
  }
  if (/unable to auto-detect email address|empty ident name|Author identity unknown|no email was given/.test(stderr)) {
    return 'git does not know who commits. Set a name and an email address: git config --global user.name "…" and git config --global user.email "…"';
  }
  if (/gpg failed to sign|failed to write commit object|Couldn't load public key|No secret key/.test(stderr)) {
    return `git could not sign the commit: ${reasonOf(stderr)}. Make the key available without a prompt (for example in gpg-agent or ssh-agent), or set commit.gpgSign to false.`;
  }
  const lock = /Unable to create '(.*\.lock)': File exists/.exec(stderr)?.[1];
  if (lock !== undefined) {
    const advice = `Wait until that process has finished, then try again. If no git process is running in the repository, delete ${lock}.`;
    return `Another git process has locked this repository. ${advice}`;
  }
  if (/No space left on device|Disk quota exceeded/.test(stderr)) {
    return `git ${command} failed: the disk is full. Free some space and try again.`;
  }
  // Here git does not print why it could not write the file. A full disk is the most likely reason.
  const unwritten = /^error: unable to write file (.+)$/m.exec(stderr)?.[1];
  if (unwritten !== undefined) {
    return `git ${command} could not write ${unwritten}, perhaps because the disk is full. Free some space and try again.`;
  }
  if (
    /terminal prompts disabled|Authentication failed|Permission denied \(publickey|Host key verification/.test(stderr)
  ) {
    const advice =
      'Set up a credential helper or an ssh key for the user who runs the console, and run the same command once in a terminal.';
    return `git ${command} was refused by the remote: ${reasonOf(stderr).replace(/\.$/, '')}. ${advice}`;
  }
  const advice = ADVICE[command];
  const failed = `git ${command} failed: ${reasonOf(stderr)}`;
  return advice === undefined ? failed : `${failed.replace(/\.$/, '')}. ${advice}`;
}

/** Creates the error for a git process that could not be started. */
export function gitNotStarted(cwd: string, cause: unknown): ConsoleError {
  if (!existsSync(cwd)) {
    return new ConsoleError(
      'NOT_FOUND',
      `The folder ${cwd} no longer exists. Restore it, or use another folder.`,
      { path: cwd },
      { cause },
    );
  }
  const message =
    (cause as NodeJS.ErrnoException).code === 'ENOENT'
      ? 'git was not found. Install git 2.31 or newer and make sure that it is in the PATH of the server.'
      : `git could not be started: ${String((cause as Error).message)}. Check that the user who runs the console can run git.`;
  return new ConsoleError('GIT_FAILED', message, { stderr: '' }, { cause });
}

/** Returns the error for an aborted command: the abort reason if it is a ConsoleError, otherwise TIMEOUT. */
export function aborted(signal: AbortSignal, command: string): ConsoleError {
  if (signal.reason instanceof ConsoleError) return signal.reason;
  return new ConsoleError('TIMEOUT', `git ${command} was aborted.`, {}, { cause: signal.reason });
}
