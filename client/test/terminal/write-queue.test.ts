import { expect, test } from 'vitest';
import { WriteQueue } from '../../src/terminal/write-queue.ts';

/** Returns a write queue whose parser completes a chunk when the test calls `finishNext`. */
function slowScreen() {
  const order: string[] = [];
  const pending: (() => void)[] = [];
  const queue = new WriteQueue({
    write(data, done) {
      pending.push(() => {
        order.push(String(data));
        done();
      });
    },
  });
  return { queue, order, finishNext: () => pending.shift()?.(), isIdle: () => pending.length === 0 };
}

test('a resize happens after earlier bytes and before later ones', () => {
  const { queue, order, finishNext, isIdle } = slowScreen();
  queue.write('before 1 ');
  queue.write('before 2 ');
  queue.act(() => order.push('resize '));
  queue.write('after ');
  while (!isIdle()) finishNext();
  expect(order.join('')).toBe('before 1 before 2 resize after ');
});

test('consecutive chunks are passed on immediately', () => {
  const { queue, order, finishNext } = slowScreen();
  queue.write('a');
  queue.write('b');
  finishNext();
  finishNext();
  expect(order).toEqual(['a', 'b']);
});

test('actions queued during an action run in order', () => {
  const { queue, order, finishNext, isIdle } = slowScreen();
  queue.act(() => {
    order.push('first');
    queue.act(() => order.push('third'));
  });
  queue.write('fourth', () => order.push('shown'));
  while (!isIdle()) finishNext();
  expect(order).toEqual(['first', 'third', 'fourth', 'shown']);
});
