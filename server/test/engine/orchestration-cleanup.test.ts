import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SYSTEM } from '../../src/engine/changes/author.ts';
import { createOrchestrationCleanup } from '../../src/engine/orchestrations/cleanup.ts';
import { createSettings } from '../../src/engine/settings.ts';
import { createOrchestrationFiles } from '../../src/machine/orchestration-files.ts';
import { orchestrationRow, sessionRow, taskRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

const at = '2026-01-01T00:00:00.000Z';
const options = { olderThanDays: 1, archive: true, dryRun: false };

let s: ReturnType<typeof openStorage>;
let home: string;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'agent-console-test-'));
  s = openStorage();
  await s.storage.write(SYSTEM, async (tx) => {
    for (const id of ['first', 'second']) {
      await tx.orchestrations.insert(orchestrationRow(id, { state: 'completed', completedAt: at }));
      await tx.record({ type: 'orchestration.completed', subject: { kind: 'orchestration', id } });
    }
  });
});
afterEach(() => {
  s.close();
  rmSync(home, { recursive: true });
});

/** Creates the cleanup of orchestrations. Returns it together with the errors that it reports. */
function open(endSessions: () => Promise<void>, archive?: ReturnType<typeof createOrchestrationFiles>['archive']) {
  const errors: unknown[] = [];
  const files = createOrchestrationFiles(home);
  const cleanup = createOrchestrationCleanup({
    storage: s.storage,
    files: { ...files, archive: archive ?? files.archive },
    runner: { extent: async () => ({ first: 0, next: 0 }), read: () => Promise.reject(new Error('no output')) },
    settings: createSettings({ storage: s.storage }),
    scheduler: { endSessions },
    now: () => new Date('2026-02-01T00:00:00.000Z'),
    onError: (error) => errors.push(error),
  });
  return { cleanup, files, errors };
}

async function expectUntouched(): Promise<void> {
  expect(await s.storage.read.orchestrations.ids({ archivedAt: null }, { order: ['id'] })).toEqual(['first', 'second']);
  expect(await s.storage.read.events.count({ type: 'orchestration.cleaned_up' })).toBe(0);
  const folder = join(home, 'orchestrations', 'archive');
  expect(readdirSync(home).length === 0 ? [] : readdirSync(folder)).toEqual([]);
}

describe('a stop of the server during a cleanup', () => {
  it('does not count as its failure, and begins nothing more', async () => {
    const runner = new EventEmitter();
    const { cleanup, errors } = open(async () => {
      runner.emit('ending');
      await once(runner, 'closed');
      throw new ConsoleError('RUNNER_UNAVAILABLE', 'the connection was closed');
    });
    const ending = once(runner, 'ending');
    const run = cleanup.run(SYSTEM, options).catch((error: unknown) => error);
    await ending;
    const closed = cleanup.close();
    runner.emit('closed');
    await closed;
    expect(await run).toMatchObject({ code: 'BUSY' });
    expect(errors).toEqual([]);
    await expectUntouched();
  });

  it('leaves no part of an archive', async () => {
    const { files } = open(async () => {});
    let closed: Promise<void> | undefined;
    const { cleanup } = open(
      async () => {},
      (orchestration, archive) => {
        closed = cleanup.close();
        return files.archive(orchestration, archive);
      },
    );
    await expect(cleanup.run(SYSTEM, options)).rejects.toMatchObject({ code: 'BUSY' });
    await closed;
    await expectUntouched();
  });
});

it.each([
  ['works', { status: 'running' }, {}],
  ['waits for the end of the agent', { status: 'queued' }, { mark: 'paused', pausedBy: 'idle' }],
] as const)('keeps an orchestration if a session was prompted, and the prompt %s', async (_, task, session) => {
  let isFirst = true;
  const { cleanup } = open(async () => {
    if (!isFirst) return;
    isFirst = false;
    await s.storage.write(SYSTEM, async (tx) => {
      await tx.sessions.insert(sessionRow('session', { orchestrationId: 'first', ...session }));
      await tx.tasks.insert(taskRow('task', 'session', 'work', task));
    });
  });
  const results = await cleanup.run(SYSTEM, options);
  expect(results.map(({ error }) => error?.code)).toEqual(['CONFLICT', undefined]);
  expect(await s.storage.read.orchestrations.ids({})).toEqual(['first']);
});

it('keeps an orchestration while a notice is about to resume one of its sessions, but not one that is stopped', async () => {
  await s.storage.write(SYSTEM, async (tx) => {
    await tx.sessions.insert(sessionRow('idle', { orchestrationId: 'first', mark: 'paused', pausedBy: 'idle' }));
    await tx.sessions.insert(sessionRow('stopped', { orchestrationId: 'second', mark: 'stopped' }));
    for (const sessionId of ['idle', 'stopped']) {
      const about = { kind: 'message', aboutSessionId: sessionId, title: '', summary: 'Hello' } as const;
      await tx.notices.insert({ ...about, id: `to ${sessionId}`, sessionId, state: 'pending', createdAt: at });
    }
  });
  const results = await open(async () => {}).cleanup.run(SYSTEM, options);
  expect(results.map(({ error }) => error?.code)).toEqual(['CONFLICT', undefined]);
});

it('removes an orchestration although a prompt waits in a session until a person resumes it', async () => {
  await s.storage.write(SYSTEM, async (tx) => {
    await tx.sessions.insert(sessionRow('session', { orchestrationId: 'first', mark: 'stopped' }));
    await tx.tasks.insert(taskRow('task', 'session', 'work', { status: 'queued' }));
  });
  const results = await open(async () => {}).cleanup.run(SYSTEM, options);
  expect(results.map(({ error }) => error)).toEqual([null, null]);
});

it('an error that every cleanup meets again is recorded once', async () => {
  let message = 'Session s has an open task.';
  const { cleanup } = open(async () => {
    throw new ConsoleError('CONFLICT', message);
  });
  const counts: number[] = [];
  for (const next of [message, message, 'Somebody types.']) {
    message = next;
    expect((await cleanup.run(SYSTEM, options)).map(({ error }) => error?.message)).toEqual([next, next]);
    counts.push(await s.storage.read.events.count({ type: 'orchestration.cleaned_up', subjectId: 'first' }));
  }
  expect(counts).toEqual([1, 1, 2]);
});

it('two cleanups at the same time archive each orchestration once', async () => {
  const { cleanup, files, errors } = open(async () => {});
  const results = await Promise.all([cleanup.run(SYSTEM, options), cleanup.run(SYSTEM, options)]);
  expect(errors).toEqual([]);
  expect(results.flat().map(({ orchestrationId, error }) => [orchestrationId, error])).toEqual([
    ['first', null],
    ['second', null],
  ]);
  for (const id of ['first', 'second']) {
    const events = readFileSync(join(files.archiveFolderOf({ id, workspaceHash: '' }), 'events.ndjson'), 'utf8');
    expect(JSON.parse(events.split('\n', 1)[0] ?? '')).toMatchObject({ type: 'orchestration.completed' });
  }
});

it('keeps an orchestration while a queued notice is about to resume a session whose queue is held', async () => {
  await s.storage.write(SYSTEM, async (tx) => {
    const idle = { orchestrationId: 'first', mark: 'paused', pausedBy: 'idle', queueHeld: true } as const;
    await tx.sessions.insert(sessionRow('idle', idle));
    await tx.tasks.insert(
      taskRow('notices', 'idle', 'Notice', { kind: 'notice', sourceKind: 'system', sourceId: null }),
    );
    const about = { kind: 'message', aboutSessionId: 'idle', title: '', summary: 'Hello' } as const;
    const notice = { ...about, id: 'notice', sessionId: 'idle', taskId: 'notices', createdAt: at };
    await tx.notices.insert({ ...notice, state: 'delivering' });
  });
  const results = await open(async () => {}).cleanup.run(SYSTEM, options);
  expect(results.map(({ error }) => error?.code)).toEqual(['CONFLICT', undefined]);
});
