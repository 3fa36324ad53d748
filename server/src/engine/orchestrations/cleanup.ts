import { isDeepStrictEqual } from 'node:util';
import { ConsoleError, fieldError } from '@agent-console/shared/errors';
import { ORPHANED_FOLDER_MS } from '@agent-console/shared/limits/orchestrations';
import type { CleanedOrchestration } from '@agent-console/shared/operations/orchestration-cleanup';
import { FINAL_STATES } from '../../domain/orchestration/states.ts';
import { resumesForNotices, startsQueue } from '../../domain/session-mark.ts';
import { ACTIVE_STATUSES } from '../../domain/tasks.ts';
import type { OrchestrationArchive, OrchestrationFiles } from '../../ports/orchestration-files.ts';
import type { OrchestrationRow } from '../../ports/rows.ts';
import type { Runner } from '../../ports/runner.ts';
import type { Author, Readers, Storage } from '../../ports/storage.ts';
import { SYSTEM } from '../changes/author.ts';
import { toStoredError } from '../present.ts';
import type { SettingsReader } from '../settings.ts';
import { agentsOf, recordEvent } from './changes.ts';
import type { OrchestrationScheduler } from './scheduler.ts';
import { openTask, undeliveredNotice } from './session-ends.ts';

/** Removes ended orchestrations with their rows, events and folders. If requested, copies them to archive folders first. */
export interface OrchestrationCleanup {
  /**
   * Removes the orchestrations that ended long enough ago. A failed removal does not prevent the other removals.
   * @throws VALIDATION without `olderThanDays` while the setting `orchestrationRetentionDays` is 0.
   */
  run(author: Author, options: CleanupOptions): Promise<CleanedOrchestration[]>;
  /** Removes orchestrations as the settings require, and folders that a failed creation or removal left behind. */
  sweep(): Promise<void>;
  /**
   * Starts no more removals. Resolves when each running removal has completed, or has been stopped before it changes
   * the orchestration. Close the connection to the runner first: until it is closed, a removal may wait seconds for a
   * process to end.
   */
  close(): Promise<void>;
}

interface CleanupOptions {
  olderThanDays?: number | undefined;
  archive?: boolean | undefined;
  dryRun: boolean;
}

interface Deps {
  storage: Storage;
  files: OrchestrationFiles;
  runner: Pick<Runner, 'extent' | 'read'>;
  settings: SettingsReader;
  scheduler: Pick<OrchestrationScheduler, 'endSessions'>;
  now: () => Date;
  onError: (error: unknown, orchestrationId: string) => void;
}

const DAY_MS = 86_400_000;
const PAGE = 500;
const OUTPUT_BYTES = 1_048_576;

export function createOrchestrationCleanup(deps: Deps): OrchestrationCleanup {
  const { storage, files, now } = deps;
  const { read } = storage;
  const stopping = new AbortController();
  const running = new Set<Promise<unknown>>();
  /** Settles when all removals requested so far have ended. */
  let last: Promise<unknown> = Promise.resolve();

  /** Returns the result of `work`. A call of `close` also waits for `work`. */
  async function followed<T>(work: Promise<T>): Promise<T> {
    running.add(work);
    try {
      return await work;
    } finally {
      running.delete(work);
    }
  }

  /**
   * Runs removals one after another. Two concurrent removals of an orchestration would write into the same archive
   * folder, or the second would replace the copy by an empty one after the first has deleted the rows.
   */
  function afterEarlier<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return followed(result);
  }

  async function endedBefore(days: number): Promise<OrchestrationRow[]> {
    const completedAt = { below: new Date(now().getTime() - days * DAY_MS).toISOString() };
    return read.orchestrations.find({ state: [...FINAL_STATES], completedAt }, { order: ['id'] });
  }

  /** `onArchived` is called once the archive is complete; undefined if the orchestration is not archived. */
  async function clean(author: Author, row: OrchestrationRow, onArchived: (() => void) | undefined): Promise<void> {
    await refuseIfReopened(read, row);
    // The sessions are ended first, because after the removal nothing stores that they belong to the orchestration.
    await deps.scheduler.endSessions(row.id);
    if (onArchived !== undefined) {
      await files.archive(row, await archiveOf(deps, row, stopping.signal));
      onArchived();
      stopping.signal.throwIfAborted();
      await storage.write(author, async (tx) => {
        await refuseIfReopened(tx, row);
        if (row.archivedAt !== null) return;
        await tx.orchestrations.update(row.id, { archivedAt: now().toISOString() });
        await recordEvent(tx, row.id, 'orchestration.archived', {});
      });
    }
    await storage.write(author, async (tx) => {
      await refuseIfReopened(tx, row);
      await refuseIfWorking(tx, row);
      for (const sessionId of await tx.sessions.ids({ orchestrationId: row.id })) {
        await tx.sessions.update(sessionId, { orchestrationId: null });
      }
      await tx.approvals.remove({ orchestrationId: row.id });
      // This also removes the orchestration's agents and attempts.
      await tx.orchestrations.remove({ id: row.id });
      await tx.removeOrchestrationEvents(row.id);
    });
    await files.remove(row);
  }

  async function run(author: Author, { olderThanDays, archive, dryRun }: CleanupOptions) {
    const { orchestrationRetentionDays, archiveOrchestrations } = await deps.settings.current();
    const days = olderThanDays ?? orchestrationRetentionDays;
    if (olderThanDays === undefined && days === 0) {
      throw fieldError('olderThanDays', 'is required while the setting orchestrationRetentionDays is 0');
    }
    const archives = archive ?? archiveOrchestrations === 'yes';
    const results: CleanedOrchestration[] = [];
    for (const row of await endedBefore(days)) {
      stopping.signal.throwIfAborted();
      const { id, objective, state, completedAt } = row;
      let isArchived = dryRun && archives;
      const onArchived = () => {
        isArchived = true;
      };
      const error = dryRun ? null : await failureOf(id, () => clean(author, row, archives ? onArchived : undefined));
      const folder = isArchived ? files.archiveFolderOf(row) : null;
      results.push({ orchestrationId: id, objective, state, completedAt, archive: folder, error });
    }
    return results;
  }

  /** Runs the work. If it fails, records the error as an event, unless it is the last one recorded, and returns it. */
  async function failureOf(orchestrationId: string, work: () => Promise<void>) {
    try {
      await work();
      return null;
    } catch (cause) {
      // If the server is stopping, the error is not recorded, because the next server repeats the removal.
      stopping.signal.throwIfAborted();
      deps.onError(cause, orchestrationId);
      const { code, message } = toStoredError(cause);
      const error = { code, message: cause instanceof Error ? cause.message : message };
      await storage.write(SYSTEM, async (tx) => {
        // The removal is tried again every hour, maybe for weeks, so the same error is not recorded again.
        const type = 'orchestration.cleaned_up';
        const last = await tx.events.first({ subjectId: orchestrationId, type }, { order: ['-seq'] });
        if (isDeepStrictEqual(last?.data.error, error)) return;
        await recordEvent(tx, orchestrationId, type, { error });
      });
      return error;
    }
  }

  async function sweep(): Promise<void> {
    const { orchestrationRetentionDays } = await deps.settings.current();
    if (orchestrationRetentionDays > 0) await run(SYSTEM, { dryRun: false });
    for (const folder of await files.foldersBefore(now().getTime() - ORPHANED_FOLDER_MS)) {
      stopping.signal.throwIfAborted();
      if ((await read.orchestrations.get(folder.id)) !== undefined) continue;
      await files.remove(folder).catch((error) => deps.onError(error, folder.id));
    }
  }

  return {
    run: (author, options) =>
      options.dryRun ? followed(run(author, options)) : afterEarlier(() => run(author, options)),
    sweep: () => afterEarlier(sweep),
    async close() {
      stopping.abort(
        new ConsoleError('BUSY', 'The server stopped before this cleanup was complete. Repeat the cleanup.'),
      );
      await Promise.allSettled(running);
    },
  };
}

/** @throws an Error if the orchestration runs again, because somebody has retried an agent. */
async function refuseIfReopened(read: Pick<Readers, 'orchestrations'>, { id }: OrchestrationRow): Promise<void> {
  const current = await read.orchestrations.get(id);
  if (current !== undefined && !FINAL_STATES.includes(current.state)) {
    throw new Error(`orchestration ${id} is ${current.state} again`);
  }
}

/**
 * @throws CONFLICT if a session of the orchestration works on a task, or will start its agent by itself for a queued
 * task or a notice. Somebody may have prompted or notified the session since `endSessions`.
 */
async function refuseIfWorking(
  read: Pick<Readers, 'sessions' | 'tasks' | 'notices'>,
  { id }: OrchestrationRow,
): Promise<void> {
  const sessions = await read.sessions.find({ orchestrationId: id });
  const sessionId = sessions.map((session) => session.id);
  const running = await read.tasks.first({ sessionId, status: [...ACTIVE_STATUSES] });
  if (running !== undefined) throw openTask(running.sessionId);
  const starting = sessions.filter(startsQueue).map((session) => session.id);
  const queued = await read.tasks.first({ sessionId: starting, status: 'queued' });
  if (queued !== undefined) throw openTask(queued.sessionId);
  const resuming = sessions.filter(resumesForNotices).map((session) => session.id);
  const notice = await read.notices.first({ sessionId: resuming, state: ['pending', 'delivering'] });
  if (notice !== undefined) throw undeliveredNotice(notice.sessionId);
}

/**
 * Returns what is copied to the archive folder of an orchestration. Reading the events or outputs in it throws once the
 * signal aborts.
 */
async function archiveOf(
  { storage, runner }: Deps,
  row: OrchestrationRow,
  signal: AbortSignal,
): Promise<OrchestrationArchive> {
  const { read } = storage;
  const agents = await agentsOf(read, row.id);
  const attempts = await read.orchestrationAttempts.find({ orchestrationId: row.id }, { order: ['id'] });
  const outputs: OrchestrationArchive['outputs'] = [];
  for (const attempt of attempts) {
    const workers = await read.workers.find({ sessionId: attempt.sessionId, type: 'agent' }, { order: ['id'] });
    for (const { id } of workers) {
      const name = `${attempt.agentId}-${attempt.attempt}-${id.slice(-8)}.log`;
      if (!outputs.some((output) => output.name === name))
        outputs.push({ name, read: () => outputOf(runner, id, signal) });
    }
  }
  return { orchestration: { ...row, agents, attempts }, events: eventsOf(storage, row.id, signal), outputs };
}

async function* eventsOf(
  { read }: Pick<Storage, 'read'>,
  orchestrationId: string,
  signal: AbortSignal,
): AsyncGenerator<object> {
  let after = 0;
  for (;;) {
    signal.throwIfAborted();
    const where = { subjectId: orchestrationId, subjectKind: 'orchestration', seq: { above: after } } as const;
    const page = await read.events.find(where, { order: ['seq'], limit: PAGE });
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.seq;
  }
}

async function* outputOf(runner: Deps['runner'], workerId: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const { first, next } = await runner.extent(workerId);
  let offset = first;
  while (offset < next) {
    signal.throwIfAborted();
    const chunk = await runner.read(workerId, offset, OUTPUT_BYTES);
    if (chunk.data.length === 0) return;
    yield chunk.data;
    offset = chunk.offset + chunk.data.length;
  }
}
