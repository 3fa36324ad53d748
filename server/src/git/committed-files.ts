import type { CommittedFile, Git } from '../ports/git.ts';
import type { GitContext } from './context.ts';
import { displayPath } from './status.ts';

interface Entry {
  path: string;
  sha: string;
  bytes: number;
}

/**
 * Returns the regular files directly in a folder of a commit, sorted by path. Objects are read as they are stored:
 * without filters, which would start programs, and without replacement refs (git-replace), with which an agent could
 * substitute other content.
 */
export async function committedFiles(
  context: GitContext,
  cwd: string,
  commit: string,
  folder: string,
  limits: Parameters<Git['committedFiles']>[3],
): Promise<CommittedFile[]> {
  const env = { GIT_NO_REPLACE_OBJECTS: '1' };
  const args = ['ls-tree', '-z', '-l', '--full-tree', commit, '--', `${folder}/`];
  const { stdout } = await context.run(args, { cwd, env });
  const entries = stdout.toString('latin1').split('\0').flatMap(toEntry).slice(0, limits.files);
  const read = entries.filter(({ bytes }) => bytes <= limits.bytes);
  const input = read.map(({ sha }) => `${sha}\n`).join('');
  const batch = read.length === 0 ? null : await context.run(['cat-file', '--batch'], { cwd, env, input });
  const contents = batch === null ? [] : contentsOf(batch.stdout, read);
  return entries.map((entry) => {
    const content = contents[read.indexOf(entry)];
    return { path: displayPath(entry.path), bytes: entry.bytes, text: content === undefined ? null : textOf(content) };
  });
}

/**
 * Parses an entry of `git ls-tree -l`: `<mode> <type> <object> <size>\t<path>`. Returns an empty list if the entry is
 * not a regular file.
 */
function toEntry(line: string): Entry[] {
  const [, sha = '', bytes = '', path = ''] = /^100\d{3} blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(line) ?? [];
  return sha === '' ? [] : [{ path, sha, bytes: Number(bytes) }];
}

/**
 * Parses the output of `git cat-file --batch`, which is `<object> <type> <size>\n<content>\n` for each entry. Returns
 * the contents.
 */
function contentsOf(stdout: Buffer, entries: readonly Entry[]): Buffer[] {
  let at = 0;
  return entries.map(({ bytes }) => {
    const start = stdout.indexOf('\n', at) + 1;
    at = start + bytes + 1;
    return stdout.subarray(start, start + bytes);
  });
}

/** Decodes UTF-8. Returns null for invalid UTF-8. */
function textOf(content: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return null;
  }
}
