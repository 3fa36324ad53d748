import { join } from 'node:path';
import { uuidv7 } from 'uuidv7';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addMessage, queuePrompt, startTask } from '../../src/engine/changes/task-changes.ts';
import { newWorkerRow } from '../../src/engine/processes/new-worker.ts';
import { ingestPage } from '../../src/engine/transcripts/ingest.ts';
import { recordedEnd } from '../../src/engine/transcripts/position.ts';
import { claim } from '../../src/engine/transcripts/traced-conversation.ts';
import type { SessionRow, WorkerRow } from '../../src/ports/rows.ts';
import type { Storage } from '../../src/ports/storage.ts';
import type { TranscriptPage, TranscriptReading, TranscriptUsage, TurnEnd } from '../../src/ports/transcripts.ts';
import { sessionRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

const deps = { now: () => new Date(), newId: uuidv7 };
const author = { actor: 'system' };

let folder: string;
let opened: ReturnType<typeof openStorage>;
let storage: Storage;
beforeEach(async () => {
  opened = openStorage();
  ({ folder, storage } = opened);
});
afterEach(() => opened.close());

async function newSession(cwd = folder): Promise<{ session: SessionRow; worker: WorkerRow }> {
  const at = deps.now().toISOString();
  const session = sessionRow(uuidv7(), { cwd, agentId: 'any', begun: true, createdAt: at, updatedAt: at });
  const row = newWorkerRow(deps, session, { id: uuidv7(), type: 'agent', cols: 80, rows: 24 });
  return storage.write(author, async (tx) => ({
    session: await tx.sessions.insert(session),
    worker: await tx.workers.insert({ ...row, state: 'running' }),
  }));
}

/** Stores a prompt as accepted by the agent. Resolves to the id of its task. */
function prompt({ session, worker }: { session: SessionRow; worker: WorkerRow }, text: string): Promise<string> {
  return storage.write(author, async (tx) => {
    const given = { sourceKind: 'person', sourceId: null, notifyOnCompletion: false } as const;
    const { task } = await queuePrompt(tx, deps, { ...given, sessionId: session.id, prompt: text });
    await startTask(tx, deps, task);
    await tx.inputs.insert({
      id: uuidv7(),
      workerId: worker.id,
      taskId: task.id,
      kind: 'prompt',
      text,
      state: 'accepted',
      pastedOffset: 0,
      submittedOffset: 1,
      acceptedBy: 'hook',
      createdAt: deps.now().toISOString(),
      submittedAt: null,
    });
    return task.id;
  });
}

let said = 0;
function says(role: 'user' | 'agent', text: string, nativeId = `m${++said}`): TranscriptReading {
  return { messages: [{ nativeId, role, kind: 'text', text, at: null }], usage: [] };
}
const uses = (nativeId: string, outputTokens: number, more: Partial<TranscriptUsage> = {}): TranscriptReading => ({
  messages: [],
  usage: [{ nativeId, inputTokens: 2 * outputTokens, outputTokens, cacheReadTokens: 0, costUsd: null, ...more }],
});

function take(
  { session, worker }: { session: SessionRow; worker: WorkerRow },
  readings: TranscriptReading[],
  { offset = 1_000, nativeId = 'native' } = {},
): Promise<boolean> {
  const page: TranscriptPage = { readings, position: {}, more: false };
  const taken = { nativeId, page, worker: { row: worker, offset } };
  return storage.write(author, (tx) => ingestPage(tx, deps, session.id, taken));
}
/**
 * Like `take`, for a conversation that was found only by its folder. First claims the conversation for the session.
 * Resolves to false if several sessions have this folder and the conversation could belong to any of them.
 */
async function takeTraced(one: { session: SessionRow; worker: WorkerRow }, ...pages: TranscriptReading[][]) {
  const transcripts = {
    read: async (_kind: string, _id: string, { at = 0 }: { at?: unknown }): Promise<TranscriptPage> => {
      const next = Number(at) + 1;
      return { readings: pages[Number(at)] ?? [], position: { at: next }, more: next < pages.length };
    },
  };
  const isOurs = await claim({ storage, transcripts }, one.session, { kind: 'codex', nativeId: 'native' });
  return isOurs && take(one, pages.flat());
}
const outputOf = async (taskId: string) => (await storage.read.tasks.get(taskId))?.usage?.outputTokens;
const messagesOf = ({ session }: { session: SessionRow }) =>
  storage.read.messages.find({ sessionId: session.id }, { order: ['seq'] });

describe('the token use of a task', () => {
  it('is the increase of a running total during its turns, even when everything is reported again', async () => {
    const one = await newSession();
    const total = (tokens: number) => uses('total', tokens, { runningTotal: true, costUsd: tokens / 100 });
    const first = await prompt(one, 'first');
    const story = [says('user', 'first'), total(10), total(30)];
    await take(one, story);
    const second = await prompt(one, 'second');
    story.push(says('user', 'second'), total(70), total(75));
    await take(one, story.slice(3));
    const figures = async () => [await outputOf(first), await outputOf(second)];
    expect(await figures()).toEqual([30, 45]);
    expect((await storage.read.tasks.get(second))?.usage).toMatchObject({ inputTokens: 90, costUsd: 0.45 });
    await take(one, story);
    expect(await figures()).toEqual([30, 45]);
  });

  it('is the increase of the newest running total after the agent began to count from zero again', async () => {
    const one = await newSession();
    const total = (tokens: number, costUsd: number) => uses('total', tokens, { runningTotal: true, costUsd });
    const story: TranscriptReading[] = [];
    const used: [string, number, number][] = [
      ['first', 60, 0.6],
      ['second', 174, 1.74],
      // Nothing was used in this turn. The increases of the earlier turns add up to 1.7400000000000002. The total of
      // 1.74 is smaller, but must not look as if the agent had begun to count from zero again.
      ['third', 174, 1.74],
      ['fourth', 10, 0.1],
      ['fifth', 30, 0.3],
      ['sixth', 40, 0.4],
    ];
    const tasks: string[] = [];
    for (const [text, tokens, costUsd] of used) {
      tasks.push(await prompt(one, text));
      const turn = [says('user', text), total(tokens, costUsd)];
      story.push(...turn);
      await take(one, turn);
    }
    const figures = () => Promise.all(tasks.map(outputOf));
    expect(await figures()).toEqual([60, 114, 0, 10, 20, 10]);
    const costs = (await Promise.all(tasks.map((id) => storage.read.tasks.get(id)))).map(
      (task) => task?.usage?.costUsd,
    );
    expect(costs.map((cost) => cost?.toFixed(2))).toEqual(['0.60', '1.14', '0.00', '0.10', '0.20', '0.10']);
    await take(one, story);
    expect(await figures()).toEqual([60, 114, 0, 10, 20, 10]);
  });

  it('is the sum of the latest reports of its answers; a later report counts for the turn of the first', async () => {
    const one = await newSession();
    const first = await prompt(one, 'first');
    await take(one, [says('user', 'first'), uses('a', 1), uses('b', 5), uses('a', 3)]);
    const second = await prompt(one, 'second');
    await take(one, [says('user', 'second'), uses('c', 7), uses('a', 4)]);
    expect([await outputOf(first), await outputOf(second)]).toEqual([9, 7]);
  });

  it('excludes prompts typed at the keyboard', async () => {
    const one = await newSession();
    const first = await prompt(one, 'first');
    await take(one, [says('user', 'first'), uses('a', 1), says('user', 'by hand'), uses('b', 100)]);
    expect(await outputOf(first)).toBe(1);
  });
});

describe('a fork', () => {
  const at = (moment: string, { messages, usage }: TranscriptReading, more: TranscriptUsage[] = []) => ({
    messages: messages.map((each) => ({ ...each, at: moment })),
    usage: [...usage, ...more],
  });
  const LONG_AGO = '2020-01-01T00:00:00.000Z';
  const used = (nativeId: string, tokens: number) => uses(nativeId, tokens).usage;
  const lastMessagesOf = async (one: { session: SessionRow }) =>
    (await messagesOf(one)).map(({ seq, parts }) => [seq, parts[0]?.text]);

  async function forkOf(original: { session: SessionRow }) {
    const one = await newSession();
    const forkedFromSessionId = original.session.id;
    await storage.write(author, (tx) => tx.sessions.update(one.session.id, { forkedFromSessionId }));
    return { ...one, session: { ...one.session, forkedFromSessionId } };
  }

  it('starts with the messages of its original in order, without their token use', async () => {
    const original = await newSession();
    const copied = [
      at(LONG_AGO, says('user', 'again', 'z')),
      at(LONG_AGO, says('agent', 'first answer', 'y'), used('one', 100)),
      uses('one', 110),
      at(LONG_AGO, says('user', 'second', 'x')),
      at(LONG_AGO, says('agent', 'second answer', 'w'), used('two', 200)),
    ];
    await take(original, copied);
    await storage.write(author, async (tx) => {
      const notice = await tx.messages.first({ sessionId: original.session.id, nativeId: 'x' });
      await tx.messages.update(notice?.id ?? '', { role: 'system', kind: 'notice' });
    });
    const fork = await forkOf(original);
    const taskId = await prompt(fork, 'again');
    const own = [
      at(deps.now().toISOString(), says('user', 'again', 'b')),
      at(deps.now().toISOString(), says('agent', 'other answer', 'a'), used('three', 7)),
    ];
    // The third page contains the end of the copied messages and the beginning of the new ones.
    await take(fork, copied.slice(0, 2));
    await take(fork, copied.slice(2, 4));
    await take(fork, [...copied.slice(4), ...own]);
    expect(await lastMessagesOf(fork)).toEqual([
      [1, 'again'],
      [2, 'first answer'],
      [3, 'second'],
      [4, 'second answer'],
      [5, 'again'],
      [6, 'other answer'],
    ]);
    const rows = await messagesOf(fork);
    expect(rows.map(({ taskId: of }) => of)).toEqual([null, null, null, null, taskId, taskId]);
    expect(rows[2]).toMatchObject({ role: 'system', kind: 'notice' });
    expect(await outputOf(taskId)).toBe(7);
    expect((await storage.read.sessions.get(fork.session.id))?.messageCount).toBe(6);
    await take(fork, [...copied, ...own]);
    expect(await lastMessagesOf(fork)).toHaveLength(6);
    expect(await outputOf(taskId)).toBe(7);
  });

  it('counts only its own part of a running total', async () => {
    const original = await newSession();
    const total = (tokens: number) => uses('total', tokens, { runningTotal: true });
    const copied = [at(LONG_AGO, says('user', 'first')), total(100)];
    const fork = await forkOf(original);
    const taskId = await prompt(fork, 'own');
    await take(fork, [...copied, at(deps.now().toISOString(), says('user', 'own')), total(130)]);
    expect(await outputOf(taskId)).toBe(30);
  });

  it('is recognized by its own messages, however many pages of copied ones come first', async () => {
    const original = await newSession();
    await prompt(original, 'first');
    const copied = [at(LONG_AGO, says('user', 'first')), at(LONG_AGO, says('agent', 'done'))];
    const [fork, other] = [await forkOf(original), await forkOf(original)];
    await prompt(fork, 'own');
    await prompt(other, 'first');
    const own = [at(deps.now().toISOString(), says('user', 'own'))];
    expect(await takeTraced(other, copied, copied, own)).toBe(false);
    expect(await takeTraced(fork, copied)).toBe(false);
    expect(await takeTraced(fork, copied, own)).toBe(true);
    expect((await lastMessagesOf(fork)).map(([, text]) => text)).toEqual(['first', 'done', 'own']);
  });
});

describe('a conversation found only by its folder', () => {
  it('belongs to the session whose prompt it starts with, and to no other', async () => {
    const [one, other] = [await newSession(), await newSession()];
    await prompt(one, 'paint it blue');
    await prompt(other, 'paint it red');
    const story = [says('user', 'paint it blue'), says('agent', 'blue it is')];
    expect(await takeTraced(other, story)).toBe(false);
    expect(await messagesOf(other)).toHaveLength(1);
    expect(await takeTraced(one, story)).toBe(true);
    expect((await storage.read.sessions.get(one.session.id))?.nativeId).toBe('native');
    expect(await messagesOf(one)).toHaveLength(2);
    await prompt(other, 'paint it blue');
    expect(await takeTraced(other, story)).toBe(false);
  });

  it('belongs to the only session of a folder, whoever started it', async () => {
    const [one] = [await newSession(join(folder, 'alone')), await newSession()];
    expect(await takeTraced(one, [says('user', 'typed by hand')])).toBe(true);
    expect(await messagesOf(one)).toMatchObject([{ role: 'user', source: 'transcript', taskId: null }]);
  });
});

describe('offsets of messages', () => {
  it('are unique, above those of earlier messages, and wait for output', async () => {
    const one = await newSession();
    const outputOffsets = async () => (await messagesOf(one)).map(({ logOffset }) => logOffset);
    await take(one, [says('agent', 'a'), says('agent', 'b')], { offset: 100 });
    expect(await outputOffsets()).toEqual([99, 100]);
    await take(one, [says('agent', 'c'), says('agent', 'd')], { offset: 100 });
    expect(await outputOffsets()).toEqual([99, 100, null, null]);
    await take(one, [says('agent', 'e')], { offset: 101 });
    expect(await outputOffsets()).toEqual([99, 100, 101, null, null]);
    await take(one, [], { offset: 500 });
    expect(await outputOffsets()).toEqual([99, 100, 101, 499, 500]);
  });

  it('continue after those of the previous conversation when the agent starts another one', async () => {
    const one = await newSession();
    await take(one, [says('agent', 'here')], { offset: 1_000 });
    await take(one, [says('agent', 'there'), says('agent', 'also there')], { offset: 1_001, nativeId: 'another' });
    await take(one, [], { offset: 1_100, nativeId: 'another' });
    expect((await messagesOf(one)).map(({ logOffset }) => logOffset)).toEqual([1_000, 1_001, 1_100]);
  });

  it('are not assigned to messages from before the worker started', async () => {
    const one = await newSession();
    const old = says('agent', 'long ago');
    await take(one, [{ ...old, messages: old.messages.map((each) => ({ ...each, at: '2020-01-01T00:00:00.000Z' })) }]);
    await take(one, [says('agent', 'now')], { offset: 2_000 });
    expect((await messagesOf(one)).map(({ logOffset }) => logOffset)).toEqual([null, 2_000]);
  });
});

describe('a message ingested late', () => {
  const report = (one: { session: SessionRow }, taskId: string, text: string) =>
    storage.write(author, (tx) =>
      addMessage(tx, deps, { sessionId: one.session.id, taskId, role: 'agent', kind: 'text', text }),
    );
  const at = (moment: Date, { messages, usage }: TranscriptReading): TranscriptReading => ({
    messages: messages.map((each) => ({ ...each, at: moment.toISOString() })),
    usage,
  });
  const before = new Date(Date.now() - 60_000);
  const after = new Date(Date.now() + 60_000);
  const lastMessagesOf = async (one: { session: SessionRow }) =>
    (await messagesOf(one)).map(({ parts }) => parts[0]?.text);

  it('is placed after its own prompt, before later prompts', async () => {
    const one = await newSession();
    await prompt(one, 'first');
    await take(one, [says('user', 'first')]);
    await prompt(one, 'second');
    await prompt(one, 'third');
    await take(one, [says('agent', 'about the first'), says('agent', 'more about it')]);
    await take(one, [says('user', 'second'), says('agent', 'about the second')], { offset: 2_000 });
    await take(one, [says('user', 'third'), says('agent', 'about the third')], { offset: 3_000 });
    expect(await lastMessagesOf(one)).toEqual([
      'first',
      'about the first',
      'more about it',
      'second',
      'about the second',
      'third',
      'about the third',
    ]);
    const rows = await messagesOf(one);
    expect(rows.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    const said = rows.filter(({ role }) => role === 'agent');
    expect(said.every(({ logOffset }) => logOffset !== null)).toBe(true);
    expect((await storage.read.sessions.get(one.session.id))?.messageCount).toBe(7);
  });

  it('is placed before or after the summary of a report, by its time', async () => {
    const one = await newSession();
    const taskId = await prompt(one, 'work');
    await take(one, [says('user', 'work')]);
    await report(one, taskId, 'the summary');
    await take(one, [at(before, says('agent', 'I report now')), at(after, says('agent', 'Done.'))]);
    expect(await lastMessagesOf(one)).toEqual(['work', 'I report now', 'the summary', 'Done.']);
  });

  it('is not moved before a prompt that the transcript never contained', async () => {
    const one = await newSession();
    await prompt(one, '/help');
    await prompt(one, 'work');
    await take(one, [says('user', 'work'), says('agent', 'worked')]);
    expect(await lastMessagesOf(one)).toEqual(['/help', 'work', 'worked']);
  });
});

describe('the end of a turn', () => {
  const ends = (turnEnd: TurnEnd): TranscriptReading => ({ messages: [], usage: [], turnEnd });
  const failed: TurnEnd = { how: 'failed', error: 'the backend is on fire' };
  const endOf = async (one: { session: SessionRow }, taskId: string, kind: 'prompt' | 'reminder' = 'prompt') => {
    const input = await storage.read.inputs.first({ taskId, kind });
    return recordedEnd(await storage.read.transcripts.get(one.session.id), input?.id ?? '');
  };

  it('is known for the input that started the turn, until the next input', async () => {
    const one = await newSession();
    const first = await prompt(one, 'first');
    await take(one, [says('user', 'first'), says('agent', 'hm')]);
    expect(await endOf(one, first)).toBeNull();
    await take(one, [ends(failed)]);
    expect(await endOf(one, first)).toEqual(failed);
    const second = await prompt(one, 'second');
    expect(await endOf(one, second)).toBeNull();
    await take(one, [says('user', 'second')]);
    expect([await endOf(one, first), await endOf(one, second)]).toEqual([null, null]);
  });

  it('is revoked when the agent continues after all', async () => {
    const one = await newSession();
    const taskId = await prompt(one, 'first');
    await take(one, [says('user', 'first'), ends({ how: 'answered', error: null }), says('agent', 'one more thing')]);
    expect(await endOf(one, taskId)).toBeNull();
  });

  it('is recognized when the whole conversation is reported again', async () => {
    const one = await newSession();
    await prompt(one, 'first');
    const second = await prompt(one, 'second');
    const story = [says('user', 'first'), ends({ how: 'answered', error: null }), says('user', 'second'), ends(failed)];
    await take(one, story);
    await take(one, story);
    expect(await endOf(one, second)).toEqual(failed);
  });

  it('of a command is known for its input, and a command typed by a person is not stored', async () => {
    const one = await newSession();
    const command = (text: string): TranscriptReading => ({
      messages: says('user', text).messages.map((each) => ({ ...each, command: true })),
      usage: [],
      turnEnd: { how: 'command', error: null },
    });
    const taskId = await prompt(one, '/clear');
    await take(one, [command('/clear')]);
    expect(await endOf(one, taskId)).toMatchObject({ how: 'command' });
    await take(one, [command('/model by hand')]);
    expect(await endOf(one, taskId)).toBeNull();
    expect((await messagesOf(one)).map(({ parts }) => parts[0]?.text)).toEqual(['/clear']);
  });
});
