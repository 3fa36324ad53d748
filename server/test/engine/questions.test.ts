import { APPROVAL_CUT_CHARS, APPROVAL_TEXT_MAX_CHARS } from '@agent-console/shared/limits/approvals';
import { uuidv7 } from 'uuidv7';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newWorkerRow } from '../../src/engine/processes/new-worker.ts';
import { applyObservations } from '../../src/engine/processes/observations.ts';
import { insertSession } from '../../src/engine/sessions/new-session.ts';
import type { AgentObservation, PendingQuestion, Transition } from '../../src/ports/agents.ts';
import type { EventRow } from '../../src/ports/rows.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { openStorage } from '../support/storage.ts';

const deps = { now: () => new Date(), newId: uuidv7 };
const author = { actor: 'system' };
const workerId = uuidv7();

const ASKING: Transition = { state: 'asking', confidence: 'likely', source: 'screen', offset: 10 };
const ACTIVE: Transition = { state: 'active', confidence: 'likely', source: 'screen', offset: 20 };
const OPTIONS = [{ id: '1', label: 'Yes', kind: 'allow' }] as const;
const shown = (text: string, tool: string | null = null): PendingQuestion => ({
  text,
  tool,
  options: OPTIONS,
  source: 'screen',
});
const reported = (text: string, tool: string): PendingQuestion => ({ text, tool, options: [], source: 'hook' });

let folder: string;
let opened: ReturnType<typeof openStorage>;
let storage: Storage;
let events: EventRow[];

beforeEach(async () => {
  events = [];
  opened = openStorage({ onCommit: (committed) => events.push(...committed) });
  ({ folder, storage } = opened);
  await storage.write(author, async (tx) => {
    const agent = {
      id: 'scripted',
      name: 'Scripted',
      kind: 'scripted' as const,
      driver: 'pty' as const,
      command: [],
      env: [],
      queueWhenUnknown: 'hold' as const,
      builtIn: true,
      defaultMode: 'default' as const,
      permission: () => ({ mode: 'default' as const, note: null }),
    };
    const session = await insertSession(
      tx,
      deps,
      { caller: { kind: 'user', userId: uuidv7(), scopes: [], via: 'peer' } },
      {
        worktree: null,
        cwd: folder,
        agent,
        title: '',
        description: '',
        parent: null,
        depth: 0,
        mode: undefined,
        ceiling: undefined,
        queueHeld: false,
      },
    );
    const row = newWorkerRow(deps, session, { id: workerId, type: 'agent', cols: 80, rows: 24 });
    await tx.workers.insert({ ...row, state: 'running' });
  });
  events = [];
});
afterEach(() => opened.close());

const see = (...observations: AgentObservation[]) =>
  storage.write(author, (tx) =>
    applyObservations(tx, deps, workerId, observations, { scanOffset: 0, signalsOffset: 0 }),
  );
const rows = () => storage.read.approvals.find({ workerId });
const told = () => events.map(({ type }) => type).filter((type) => type.startsWith('approval.'));

describe('an observed question', () => {
  it('that is first reported and then shown is one approval, with the text and options of the screen', async () => {
    await see(ASKING, { asked: reported('Bash: npm test', 'Bash') });
    expect(await rows()).toMatchObject([{ text: 'Bash: npm test', tool: 'Bash', options: [], source: 'hook' }]);
    await see({ asked: shown('Run npm test?') });
    expect(await rows()).toMatchObject([{ text: 'Run npm test?', tool: 'Bash', options: OPTIONS, state: 'pending' }]);
    expect(told()).toEqual(['approval.requested', 'approval.updated']);
  });

  it('with other line breaks is the same approval', async () => {
    await see(ASKING, { asked: shown('Run this long command?') });
    const [first] = await rows();
    await see({ asked: shown('Run this long\ncommand?') }, { asked: null });
    expect(await rows()).toEqual([first]);
    expect(told()).toEqual(['approval.requested']);
  });

  it('with another text replaces the previous one', async () => {
    await see(ASKING, { asked: shown('One?') }, { asked: shown('Two?') });
    expect((await rows()).map(({ text, state }) => [text, state])).toEqual([
      ['One?', 'withdrawn'],
      ['Two?', 'pending'],
    ]);
    expect(told()).toEqual(['approval.requested', 'approval.withdrawn', 'approval.requested']);
  });

  it('is withdrawn when the agent stops asking, and not stored while the agent is not asking', async () => {
    await see(ASKING, { asked: shown('One?') }, ACTIVE);
    expect(await rows()).toMatchObject([{ state: 'withdrawn' }]);
    await see({ asked: shown('Two?') });
    expect(await rows()).toHaveLength(1);
  });

  it('stays pending while its answer is in progress, and the next question is still stored', async () => {
    await see(ASKING, { asked: shown('One?') });
    const [first] = await rows();
    await storage.write(author, (tx) => tx.approvals.update(first?.id ?? '', { optionId: '1', answeredBy: 'user:a' }));
    await see({ asked: shown('One?') }, { asked: shown('Two?') });
    expect((await rows()).map(({ text, state }) => [text, state])).toEqual([
      ['One?', 'pending'],
      ['Two?', 'pending'],
    ]);
    await see(ACTIVE);
    expect((await rows()).map(({ state }) => state)).toEqual(['pending', 'withdrawn']);
  });

  it('is truncated in its row, and further in events', async () => {
    await see(ASKING, { asked: shown('x'.repeat(APPROVAL_TEXT_MAX_CHARS + 1)) });
    expect((await rows())[0]?.text).toHaveLength(APPROVAL_TEXT_MAX_CHARS);
    const event = events.find(({ type }) => type === 'approval.requested');
    expect(String(event?.data.text)).toHaveLength(APPROVAL_CUT_CHARS);
  });
});
