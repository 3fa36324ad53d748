import { afterAll, beforeAll, expect, it } from 'vitest';
import { copyConversation } from '../../src/engine/protocol/forks.ts';
import { messageRow, sessionRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

const AUTHOR = { actor: 'test' };
const COUNT = 450;

let s: ReturnType<typeof openStorage>;
beforeAll(async () => {
  s = openStorage();
  await s.storage.write(AUTHOR, async (tx) => {
    for (const id of ['original', 'whole', 'finished']) await tx.sessions.insert(sessionRow(id));
    for (let seq = 1; seq <= COUNT; seq += 1) {
      const taskId = seq > COUNT - 10 ? 'running' : 'ended';
      await tx.messages.insert(messageRow(`m${seq}`, 'original', `text ${seq}`, { taskId, nativeId: `n${seq}` }));
    }
  });
});
afterAll(() => s.close());

it('a long conversation is copied as a whole, in order, while other requests are served', async () => {
  let id = 0;
  const newId = () => {
    id += 1;
    return `copy-${id}`;
  };
  let served = 0;
  const serving = setInterval(() => {
    served += 1;
  }, 0);
  await s.storage.write(AUTHOR, (tx) => copyConversation(tx, { newId }, 'original', 'whole', undefined));
  clearInterval(serving);
  expect(served).toBeGreaterThan(0);
  await s.storage.write(AUTHOR, (tx) => copyConversation(tx, { newId }, 'original', 'finished', 'running'));
  for (const [sessionId, count] of [
    ['whole', COUNT],
    ['finished', COUNT - 10],
  ] as const) {
    const copies = await s.storage.read.messages.find({ sessionId }, { order: ['seq'] });
    expect(copies.map(({ seq, parts }) => [seq, parts[0]])).toEqual(
      Array.from({ length: count }, (_, at) => [at + 1, { type: 'text', text: `text ${at + 1}` }]),
    );
    expect(copies.every(({ taskId, nativeId, logOffset }) => (taskId ?? nativeId ?? logOffset) === null)).toBe(true);
    expect((await s.storage.read.sessions.get(sessionId))?.messageCount).toBe(count);
  }
});
