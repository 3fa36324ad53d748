import { uuidv7 } from 'uuidv7';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toPublicEvent } from '../../src/engine/access/public-event.ts';
import type { ChosenAgent } from '../../src/engine/agents/catalogue.ts';
import { finishTask, queuePrompt, startTask } from '../../src/engine/changes/task-changes.ts';
import { insertSession } from '../../src/engine/sessions/new-session.ts';
import { type CommitHub, createEventHub } from '../../src/events/hub.ts';
import { waitForTaskEnd } from '../../src/operations/sessions/wait.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { openStorage } from '../support/storage.ts';

const deps = { now: () => new Date(), newId: uuidv7 };
const author = { actor: 'system' };
const agent = {
  id: 'any',
  defaultMode: 'default',
  permission: () => ({ mode: 'default' }),
} as unknown as ChosenAgent;

let folder: string;
let opened: ReturnType<typeof openStorage>;
let storage: Storage;
let hub: CommitHub;
let taskId: string;
beforeEach(async () => {
  opened = openStorage({ onCommit: (events) => hub.committed(events) });
  ({ folder, storage } = opened);
  hub = createEventHub(storage.read.events, 0, toPublicEvent);
  taskId = await storage.write(author, async (tx) => {
    const plan = { worktree: null, cwd: folder, agent, title: '', description: '', parent: null, depth: 0 };
    const permission = { mode: undefined, ceiling: undefined, queueHeld: false };
    const caller = { kind: 'user', userId: 'u', scopes: [], via: 'token' } as const;
    const session = await insertSession(tx, deps, { caller }, { ...plan, ...permission });
    const given = { sourceKind: 'person', sourceId: null, notifyOnCompletion: false } as const;
    const { task } = await queuePrompt(tx, deps, { ...given, sessionId: session.id, prompt: 'work' });
    await startTask(tx, deps, task);
    return task.id;
  });
});
afterEach(() => opened.close());

const never = () => new AbortController().signal;
const end = () =>
  storage.write(author, async (tx) => {
    await finishTask(tx, deps, taskId, { status: 'completed', source: 'report', certain: true, summary: 'done' });
  });

describe('waiting for the end of a task', () => {
  it('returns the outcome when the task ends, or at once if it has already ended', async () => {
    const waiting = waitForTaskEnd({ storage, hub }, taskId, never());
    await end();
    expect(await waiting).toEqual({ status: 'completed', summary: 'done' });
    expect(await waitForTaskEnd({ storage, hub }, taskId, never())).toEqual({ status: 'completed', summary: 'done' });
  });

  it('reports that the task continues after a timeout or a disconnection', async () => {
    const goesOn = { status: 'running', summary: null, timedOut: true };
    expect(await waitForTaskEnd({ storage, hub }, taskId, never(), 20)).toEqual(goesOn);
    const left = new AbortController();
    const waiting = waitForTaskEnd({ storage, hub }, taskId, left.signal);
    left.abort();
    expect(await waiting).toEqual(goesOn);
    await end();
    expect(await waitForTaskEnd({ storage, hub }, taskId, never(), 20)).toEqual({
      status: 'completed',
      summary: 'done',
    });
  });
});
