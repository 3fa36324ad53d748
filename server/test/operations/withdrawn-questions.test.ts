import { uuidv7 } from 'uuidv7';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAcp } from '../../src/acp/protocol.ts';
import { NEW_CONNECTION } from '../../src/domain/protocol.ts';
import { createInputEffects, type InputEffectDeps } from '../../src/engine/reconciler/input-effects.ts';
import type { LoadedSession } from '../../src/engine/reconciler/session-state.ts';
import { createMemoryRunner } from '../support/memory-runner/runner.ts';
import { sessionRow, taskRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

const at = '2026-01-01T00:00:00.000Z';
const author = { actor: 'system' };
const [sessionId, workerId, inputId, taskId] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()] as const;

const over: (() => unknown)[] = [];
let opened: ReturnType<typeof openStorage>;
beforeEach(() => {
  opened = openStorage();
  over.push(() => opened.close());
});
afterEach(async () => {
  for (const end of over.splice(0).reverse()) await end();
});

async function ask(requestId: string): Promise<void> {
  const question = { text: requestId, options: [{ id: 'y', label: 'Yes', kind: 'allow' as const }] };
  const row = { ...question, id: uuidv7(), sessionId, workerId, requestId, source: 'protocol', logOffset: 0 } as const;
  await opened.storage.write(author, (tx) => tx.approvals.insert({ ...row, createdAt: at }));
}

/** Starts an agent whose prompt was cancelled. `onLine` is called after each line that the agent gets. */
async function cancelled(submittedOffset: number | null, onLine: (lines: readonly string[]) => Promise<void>) {
  const { storage } = opened;
  const loaded = await storage.write(author, async (tx) => {
    const session = await tx.sessions.insert(sessionRow(sessionId, { nativeId: 's' }));
    await tx.tasks.insert(taskRow(taskId, sessionId, 'Hello', { status: 'cancelled' }));
    const size = { cols: 80, rows: 24, activitySince: at, createdAt: at };
    const agent = { id: workerId, sessionId, type: 'agent', state: 'running', ...size } as const;
    const worker = await tx.workers.insert({ ...agent, protocol: { ...NEW_CONNECTION, phase: 'ready' } });
    const sent = { id: inputId, workerId, taskId, kind: 'prompt', text: 'Hello', createdAt: at } as const;
    const input = await tx.inputs.insert({ ...sent, state: 'interrupting', submittedOffset });
    return { session, agent: worker, input } as LoadedSession;
  });
  const memory = createMemoryRunner({
    program:
      () =>
      ({ ended }) => ({ input() {}, signal: (signal) => ended({ exitCode: null, signal }), stop() {} }),
  });
  over.push(() => memory.close());
  const runner = memory.connect();
  const spec = { workerId, file: process.execPath, args: [], cwd: '/', env: {}, cols: 80, rows: 24 };
  await runner.spawn({ ...spec, mode: 'pipe' });
  const lines: string[] = [];
  const input: typeof runner.input = async (...args) => {
    const receipt = await runner.input(...args);
    if (!receipt.duplicate && args[2].length > 0) {
      lines.push(args[2].toString());
      await onLine(lines);
    }
    return receipt;
  };
  // Only the dependencies that cancelling a prompt needs.
  const deps: Partial<InputEffectDeps> = {
    now: () => new Date(),
    storage,
    protocol: createAcp('1.0.0'),
    runner: { input },
    catalogue: { kindOf: async () => ({ keys: { interrupt: '', clearLine: '' } }) as never },
  };
  const { effects } = createInputEffects(deps as InputEffectDeps);
  return { withdraw: () => effects.withdraw(loaded, inputId), lines };
}

it('withdraws only those questions of a cancelled prompt that it has answered', async () => {
  const { withdraw, lines } = await cancelled(0, async ({ length }) => {
    // The agent asks another question while the console withdraws the first one.
    if (length === 2) await ask('late');
  });
  const answered = () => lines.flatMap((line) => JSON.parse(line).id ?? []);
  const withdrawn = async () =>
    (await opened.storage.read.approvals.find({ state: 'withdrawn' })).map(({ text }) => text);
  await ask('first');
  await withdraw();
  expect(answered()).toEqual(['first']);
  expect(await withdrawn()).toEqual(['first']);
  // Withdraws again. The next server does the same if this one dies before it has stored that the prompt was cancelled.
  await withdraw();
  expect(answered()).toEqual(['first', 'late']);
  expect(await withdrawn()).toEqual(['first', 'late']);
  expect(lines.filter((line) => line.includes('session/cancel'))).toHaveLength(1);
});

it('drops a cancelled prompt that the previous server did not send before it died', async () => {
  const { withdraw, lines } = await cancelled(null, async () => {});
  await withdraw();
  expect(lines).toEqual([]);
  expect(await opened.storage.read.inputs.get(inputId)).toMatchObject({ state: 'dropped' });
});
