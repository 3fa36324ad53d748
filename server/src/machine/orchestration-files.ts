import { randomUUID } from 'node:crypto';
import { lstat, mkdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OrchestrationFiles } from '../ports/orchestration-files.ts';

/**
 * Folders of orchestrations: `<home>/orchestrations/<workspace hash>/<id>/` with `shared/context`,
 * `shared/messages/{inbox,outbox}` and a folder for each agent in `agents`. Their agents read and write `shared`, so
 * nothing in it is trusted.
 */
export function createOrchestrationFiles(home: string): OrchestrationFiles {
  const root = join(home, 'orchestrations');
  const folderOf: OrchestrationFiles['folderOf'] = ({ workspaceHash, id }) => join(root, workspaceHash, id);

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
    async deliver(orchestration, agentId, { from, text, at }) {
      const inner = [orchestration.workspaceHash, orchestration.id, 'shared', 'messages', 'inbox', agentId];
      const folder = join(await realpath(root), ...inner);
      // An agent could have replaced a folder by a link to another place.
      if ((await realpath(folder)) !== folder) throw new Error(`${folder} leads to another folder`);
      const name = `${at.replaceAll(':', '-')}-${from}-${randomUUID().slice(0, 8)}.md`;
      const path = join(folder, name);
      await writeFile(`${path}.part`, `From: ${from}\nTime: ${at}\n\n${text}\n`, { mode: 0o600, flag: 'wx' });
      await rename(`${path}.part`, path);
      return path;
    },
    writeAgentFile: (orchestration, agentId, name, text) =>
      writeFile(join(folderOf(orchestration), 'agents', agentId, name), text, { mode: 0o600 }),
    async remove(orchestration) {
      const folder = folderOf(orchestration);
      for (const path of [root, join(root, orchestration.workspaceHash)]) {
        const entry = await lstat(path).catch(() => undefined);
        if (entry === undefined) return;
        if (!entry.isDirectory())
          throw new Error(`${path} is not a folder of the console, so nothing in it is removed`);
      }
      // Links inside are removed themselves, never what they lead to.
      await rm(folder, { recursive: true, force: true });
    },
  };
}
