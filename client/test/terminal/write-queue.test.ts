import { expect, test } from 'vitest';
import { WriteQueue } from '../../src/terminal/write-queue.ts';

/** A parser that takes its time: each piece is on its screen when the test says so. */
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

test('a resize happens behind the bytes before it and ahead of those after it', () => {
  const { queue, order, finishNext, isIdle } = slowScreen();
  queue.write('before 1 ');
  queue.write('before 2 ');
  queue.act(() => order.push('resize '));
  queue.write('after ');
  while (!isIdle()) finishNext();
  expect(order.join('')).toBe('before 1 before 2 resize after ');
});

test('pieces in a row are given on at once', () => {
  const { queue, order, finishNext } = slowScreen();
  queue.write('a');
  queue.write('b');
  finishNext();
  finishNext();
  expect(order).toEqual(['a', 'b']);
});

test('what is asked for while something happens keeps its turn', () => {
  const { queue, order, finishNext, isIdle } = slowScreen();
  queue.act(() => {
    order.push('first');
    queue.act(() => order.push('third'));
  });
  queue.write('fourth', () => order.push('shown'));
  while (!isIdle()) finishNext();
  expect(order).toEqual(['first', 'third', 'fourth', 'shown']);
});
