import { constants } from 'node:fs';
import { access, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { GitCommand } from '../ports/git-changes.ts';
import { registeredGitDir } from './checkout-view.ts';
import type { CheckoutLocation, GitContext } from './context.ts';

/**
 * Returns variables that make git use the registered directories instead of those that the checkout's own files name.
 */
export async function checkoutEnvironment(checkout: CheckoutLocation): Promise<Record<string, string>> {
  const gitDir = await registeredGitDir(checkout);
  return { GIT_DIR: gitDir, GIT_COMMON_DIR: checkout.commonDir, GIT_WORK_TREE: checkout.path };
}

/**
 * Returns the folder that contains the repository's hooks, by the settings of the repository, the user and the machine.
 * The settings of the worktree itself are not used, because agents can write them.
 */
async function configuredFolder(context: GitContext, { path: at, commonDir }: CheckoutLocation): Promise<string> {
  const args = ['config', '--type=path', '--show-scope', '-z', '--get-all', 'core.hooksPath'];
  const { stdout } = await context.run(args, { cwd: at, env: { GIT_DIR: commonDir }, okCodes: [0, 1] });
  const fields = stdout.toString().split('\0');
  let folder = path.join(commonDir, 'hooks');
  for (let each = 0; each + 1 < fields.length; each += 2) {
    if (['system', 'global', 'local'].includes(fields[each] ?? '')) folder = path.resolve(at, fields[each + 1] ?? '');
  }
  return folder;
}

async function isExecutable(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => null);
  if (found?.isFile() !== true) return false;
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Returns the folder of the repository's hooks, or null if it contains no executable file except samples. */
export async function hooksFolder(context: GitContext, checkout: CheckoutLocation): Promise<string | null> {
  const folder = await configuredFolder(context, checkout);
  const names = (await readdir(folder).catch(() => [])).filter((name) => !name.endsWith('.sample'));
  for (const name of names) if (await isExecutable(path.join(folder, name))) return folder;
  return null;
}

/** Returns the path of the prepared index or commit message with this id, in the checkout's git directory. */
export async function preparedFile(checkout: CheckoutLocation, id: string, kind: 'index' | 'message'): Promise<string> {
  return path.join(await registeredGitDir(checkout), `agent-console-${id}.${kind}`);
}

/** Deletes the prepared index and commit message with this id. */
export async function dropPrepared(checkout: CheckoutLocation, id: string): Promise<void> {
  const [index, message] = [await preparedFile(checkout, id, 'index'), await preparedFile(checkout, id, 'message')];
  for (const file of [index, `${index}.lock`, message]) await rm(file, { force: true });
}

/**
 * Creates an index with the files of a commit, and a file with the commit's message. Returns the path of the message.
 */
export async function prepareHooks(
  context: GitContext,
  checkout: CheckoutLocation,
  id: string,
  commit: string,
): Promise<string> {
  const file = await preparedFile(checkout, id, 'message');
  // The message is written last, so if it exists, the index is complete too. Existing files are kept, because a hook
  // may have changed the message before a crash.
  if ((await readFile(file).catch(() => null)) !== null) return file;
  await dropPrepared(checkout, id);
  const index = await preparedFile(checkout, id, 'index');
  const env = { ...(await checkoutEnvironment(checkout)), GIT_INDEX_FILE: index };
  const options = { cwd: checkout.path, env, settings: ['core.splitIndex=false'] };
  await context.run(['read-tree', commit], options);
  const { stdout } = await context.run(['log', '-1', '--format=%B', commit, '--'], options);
  await writeFile(file, `${stdout.toString().trimEnd()}\n`, { flag: 'wx' });
  return file;
}

export async function preparedMessage(checkout: CheckoutLocation, id: string): Promise<string> {
  return readFile(await preparedFile(checkout, id, 'message'), 'utf8');
}

/**
 * Returns the command that runs the hook with the name `hook`, or null if the repository has no such hook. The hook
 * gets the index that `prepareHooks` created.
 */
export async function hookCommand(
  context: GitContext,
  checkout: CheckoutLocation,
  id: string,
  hook: string,
  args: readonly string[],
): Promise<GitCommand | null> {
  const file = path.join(await configuredFolder(context, checkout), hook);
  if (!(await isExecutable(file))) return null;
  const index = await preparedFile(checkout, id, 'index');
  const env = { ...(await checkoutEnvironment(checkout)), GIT_INDEX_FILE: index };
  // The shell also runs a hook without an interpreter line, as git does.
  return {
    file: '/bin/sh',
    args: ['-c', 'exec "$0" "$@"', file, ...args],
    env: (await context.line([], { cwd: checkout.path, env })).env,
  };
}
