import { normalize } from 'node:path';
import { contextLead } from '@agent-console/shared/context-lead';
import { fieldError } from '@agent-console/shared/errors';
import type { Host } from '../../ports/host.ts';
import type { SessionRow, TaskRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';

const PROBLEMS = {
  folder: 'is a folder; list its files instead',
  other: 'is not a regular file',
  missing: "does not exist; use paths relative to the session's working directory",
  outside: "is outside the session's working directory; use relative paths without links that lead outside",
} as const;

/** Returns the normalized paths without duplicates. @throws VALIDATION naming a path that is not a file in the cwd. */
export async function contextFilesIn(
  { host }: { host: Pick<Host, 'findInside'> },
  session: Pick<SessionRow, 'cwd'>,
  paths: readonly string[],
): Promise<string[]> {
  for (const path of paths) {
    const found = await host.findInside(session, path);
    if (found === 'file') continue;
    throw fieldError('contextFiles', `${JSON.stringify(path)} ${PROBLEMS[found]}`, { path });
  }
  return [...new Set(paths.map((path) => normalize(path)))];
}

/**
 * Returns the text to type above the first prompt. It names the files that the agent is asked to read first. Empty if
 * there are no such files, for any other task, and for a fork, because its copied conversation already contains the
 * text.
 */
export async function leadOf(
  tx: Pick<Transaction, 'tasks'>,
  session: Pick<SessionRow, 'id' | 'contextFiles' | 'forkedFromSessionId'>,
  task: Pick<TaskRow, 'id' | 'kind'>,
): Promise<string> {
  if (session.contextFiles.length === 0 || session.forkedFromSessionId !== null || task.kind !== 'prompt') return '';
  const first = await tx.tasks.first(
    { sessionId: session.id, kind: 'prompt', startedAt: { not: null } },
    { order: ['startedAt', 'id'] },
  );
  return first?.id === task.id ? contextLead(session.contextFiles) : '';
}
