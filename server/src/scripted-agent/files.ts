import { lstat, mkdir, realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

/**
 * Writes a file inside `root`. Throws an Error if the path leads outside `root`, also through a symbolic link, or into
 * a git directory.
 */
export async function writeInside(root: string, path: string, text: string, flag: 'w' | 'wx' = 'w'): Promise<void> {
  const target = await resolveInside(root, path);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, text, { flag });
}

async function resolveInside(root: string, path: string): Promise<string> {
  const realRoot = await realpath(root);
  const target = await realTarget(resolve(realRoot, path));
  const inside = relative(realRoot, target);
  if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`))
    throw new Error(`${path} is outside ${realRoot}: only files in the working folder can be written`);
  if (inside.split(sep).some((part) => part.toLowerCase() === '.git'))
    throw new Error(`${path} belongs to git: only files in the working tree can be written`);
  return target;
}

/**
 * Resolves links in the existing part of a path. A dangling link is rejected, because its target could be outside the
 * folder.
 */
async function realTarget(path: string): Promise<string> {
  const found = await lstat(path).catch(() => null);
  if (found)
    return realpath(path).catch((cause) => {
      throw new Error(`${path} is a link whose target does not exist`, { cause });
    });
  return join(await realTarget(dirname(path)), basename(path));
}

/** Returns the path of the note for a text: `notes/<UTC time>-<first words>.md`. */
export function notePath(text: string, now: Date): string {
  const time = now.toISOString().replace(/[-:.]/g, '');
  const [first = ''] = text.slice(0, 200).split(/[\r\n]/);
  const slug = first
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  return `notes/${time}-${slug || 'note'}.md`;
}
