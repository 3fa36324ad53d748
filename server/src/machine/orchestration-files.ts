import { lstat, mkdir, open, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { InboxMessage, OrchestrationFiles } from '../ports/orchestration-files.ts';

/**
 * Folders of orchestrations: `<home>/orchestrations/<workspace hash>/<id>/` with `shared/context`,
 * `shared/messages/{inbox,outbox}` and a folder for each agent in `agents`. Their agents read and write `shared`, so
 * nothing in it is trusted.
 */
export function createOrchestrationFiles(home: string): OrchestrationFiles {
  const root = join(home, 'orchestrations');
  const folderOf: OrchestrationFiles['folderOf'] = ({ workspaceHash, id }) => join(root, workspaceHash, id);

  /**
   * Folder for message files that are not in an inbox yet, because their database rows are still being stored. Moving a
   * file from this folder into an inbox delivers the message exactly once.
   */
  const outgoing = join(root, 'outgoing');
  const stagedPath = (noticeId: string) => join(outgoing, `${noticeId}.md`);

  async function pathInInbox(
    orchestration: Parameters<OrchestrationFiles['deliver']>[0],
    agentId: string,
    { noticeId, from, at }: InboxMessage,
  ): Promise<string> {
    const folder = await ownFolder(root, orchestration, 'shared', 'messages', 'inbox', agentId);
    return join(folder, `${at.replaceAll(':', '-')}-${from}-${noticeId.slice(-8)}.md`);
  }

  const archiveFolderOf: OrchestrationFiles['archiveFolderOf'] = ({ id }) => join(root, 'archive', id);

  return {
    folderOf,
    sharedFolder: (orchestration) => join(folderOf(orchestration), 'shared'),
    async create(orchestration, agentIds) {
      const folder = folderOf(orchestration);
      for (const path of [
        join(folder, 'shared', 'context'),
        join(folder, 'shared', 'messages', 'outbox'),
        ...agentIds.flatMap((agentId) => [
          join(folder, 'shared', 'messages', 'inbox', agentId),
          join(folder, 'agents', agentId),
        ]),
        join(folder, 'shared', 'messages', 'inbox'),
        join(folder, 'agents'),
      ]) {
        await mkdir(path, { recursive: true, mode: 0o700 });
      }
    },
    async stage(orchestration, agentId, { text, ...message }) {
      const path = await pathInInbox(orchestration, agentId, message);
      await assertOwnFolders(outgoing);
      await mkdir(outgoing, { recursive: true, mode: 0o700 });
      const { from, at } = message;
      await writeFile(stagedPath(message.noticeId), `From: ${from}\nTime: ${at}\n\n${text}\n`, {
        mode: 0o600,
        flag: 'wx',
      });
      return path;
    },
    async deliver(orchestration, agentId, message) {
      const path = await pathInInbox(orchestration, agentId, message);
      await rename(stagedPath(message.noticeId), path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
    },
    async staged() {
      const entry = await lstat(outgoing).catch(() => undefined);
      if (!entry?.isDirectory()) return [];
      return (await readdir(outgoing)).map((name) => basename(name, '.md'));
    },
    discard: (noticeId) => rm(stagedPath(noticeId), { force: true }),
    async writeAgentFile(orchestration, agentId, name, text) {
      const path = join(await ownFolder(root, orchestration, 'agents', agentId), name);
      await rm(`${path}.part`, { force: true });
      await writeFile(`${path}.part`, text, { mode: 0o600, flag: 'wx' });
      await rename(`${path}.part`, path);
    },
    async agentFileTime(orchestration, agentId, name) {
      const entry = await lstat(join(folderOf(orchestration), 'agents', agentId, name)).catch(() => undefined);
      return entry?.isFile() ? entry.mtimeMs : null;
    },
    archiveFolderOf,
    async archive(orchestration, { orchestration: facts, events, outputs }) {
      await assertOwnFolders(root, join(root, 'archive'));
      const folder = archiveFolderOf(orchestration);
      const part = `${folder}.part`;
      await rm(part, { recursive: true, force: true });
      await mkdir(join(part, 'output'), { recursive: true, mode: 0o700 });
      const write = async (name: string, chunks: AsyncIterable<string | Buffer>) => {
        const file = await open(join(part, name), 'wx', 0o600);
        try {
          await pipeline(chunks, file.createWriteStream({ flush: true }));
        } finally {
          await file.close();
        }
      };
      try {
        await write('orchestration.json', lines([facts], 2));
        await write('events.ndjson', lines(events));
        for (const { name, read } of outputs) await write(join('output', name), read());
      } catch (error) {
        await rm(part, { recursive: true, force: true });
        throw error;
      }
      await rm(folder, { recursive: true, force: true });
      await rename(part, folder);
    },
    async foldersBefore(time) {
      const found: { workspaceHash: string; id: string }[] = [];
      for (const workspaceHash of await foldersIn(root)) {
        if (!/^[0-9a-f]{16}$/.test(workspaceHash)) continue;
        for (const id of await foldersIn(join(root, workspaceHash))) {
          const { mtimeMs } = await lstat(join(root, workspaceHash, id));
          if (mtimeMs < time) found.push({ workspaceHash, id });
        }
      }
      return found;
    },
    async remove(orchestration) {
      await assertOwnFolders(root, join(root, orchestration.workspaceHash));
      // Symbolic links inside the folder are removed, but not their targets.
      await rm(folderOf(orchestration), { recursive: true, force: true });
    },
  };
}

/**
 * Returns the path of the folder `inner` of an orchestration. @throws an Error if an agent has replaced the folder by a
 * symbolic link.
 */
async function ownFolder(
  root: string,
  { workspaceHash, id }: { workspaceHash: string; id: string },
  ...inner: readonly string[]
): Promise<string> {
  const folder = join(await realpath(root), workspaceHash, id, ...inner);
  if ((await realpath(folder)) !== folder) throw new Error(`${folder} leads to another folder through a symbolic link`);
  return folder;
}

/**
 * @throws an Error if a path exists but is not a folder, because a symbolic link could lead out of the data directory.
 */
async function assertOwnFolders(...paths: string[]): Promise<void> {
  for (const path of paths) {
    const entry = await lstat(path).catch(() => undefined);
    if (entry === undefined || entry.isDirectory()) continue;
    throw new Error(`${path} is not a folder of the console, so nothing in it is changed`);
  }
}

/** Returns the names of the folders in `path`, without symbolic links. Returns no names if `path` does not exist. */
async function foldersIn(path: string): Promise<string[]> {
  const entry = await lstat(path).catch(() => undefined);
  if (!entry?.isDirectory()) return [];
  const entries = await readdir(path, { withFileTypes: true });
  return entries.filter((each) => each.isDirectory()).map(({ name }) => name);
}

async function* lines(values: AsyncIterable<object> | Iterable<object>, indent = 0): AsyncGenerator<string> {
  for await (const value of values) yield `${JSON.stringify(value, null, indent)}\n`;
}
