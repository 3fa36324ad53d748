import { DASHBOARD_INPUT_BYTES, DASHBOARD_INPUTS_IN_FLIGHT } from '@agent-console/shared/limits/dashboard';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Input, Outbox } from '../../src/terminal/outbox.ts';

function outbox(): Outbox {
  let last = 0;
  return new Outbox(() => `id-${++last}`);
}

function taken(box: Outbox): Input[] {
  const inputs: Input[] = [];
  box.flush((input) => {
    inputs.push(input);
    return true;
  });
  return inputs;
}

test('keys typed before sending become one input, later ones another', () => {
  const box = outbox();
  box.add('l');
  box.add('s');
  expect(taken(box)).toEqual([{ inputId: 'id-1', data: 'ls' }]);
  box.add('\r');
  expect(taken(box)).toEqual([{ inputId: 'id-2', data: '\r' }]);
});

test('rejects text beyond its limit as a whole, and accepts it once there is room', () => {
  const box = outbox();
  expect(box.add('x'.repeat(DASHBOARD_INPUT_BYTES - 1))).toBe(true);
  expect(box.add('ü')).toBe(false);
  expect(box.chars).toBe(DASHBOARD_INPUT_BYTES - 1);
  for (const { inputId } of taken(box)) box.settle(inputId);
  expect(box.chars).toBe(0);
  expect(box.add('ü')).toBe(true);
});

test('inputs in flight are limited to what the console can deduplicate', () => {
  const box = outbox();
  const first: Input[] = [];
  for (let key = 0; key < DASHBOARD_INPUTS_IN_FLIGHT + 50; key += 1) {
    box.add('k');
    first.push(...taken(box));
  }
  expect(first).toHaveLength(DASHBOARD_INPUTS_IN_FLIGHT);
  box.settle(first[0]?.inputId ?? '');
  expect(taken(box)).toEqual([{ inputId: `id-${DASHBOARD_INPUTS_IN_FLIGHT + 1}`, data: 'k'.repeat(50) }]);
});

test('a long paste is never split within a character', () => {
  const box = outbox();
  const text = `x${'👍'.repeat(20_000)}`;
  box.add(text);
  const pieces = taken(box).map(({ data }) => data);
  expect(pieces.length).toBeGreaterThan(1);
  for (const piece of pieces) expect(Buffer.from(piece).toString()).toBe(piece);
  expect(pieces.join('')).toBe(text);
});

test('across disconnects, a console that applies each id once receives exactly what was typed', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('type' as const), text: fc.string({ minLength: 1, unit: 'grapheme' }) }),
    // A disconnect. Before the disconnect, the console receives the first `arrive` inputs, and the client receives
    // `heard` acknowledgements.
    fc.record({ kind: fc.constant('break' as const), arrive: fc.nat(5), heard: fc.nat(5) }),
    fc.record({ kind: fc.constant('calm' as const) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const box = outbox();
      const done = new Set<string>();
      let typed = '';
      let got = '';
      const arrive = (inputs: Input[]) => {
        for (const { inputId, data } of inputs) {
          if (done.has(inputId)) continue;
          done.add(inputId);
          got += data;
        }
      };
      const deliver = (inputs: Input[], heard: number) => {
        arrive(inputs);
        for (const { inputId } of inputs.slice(0, heard)) box.settle(inputId);
      };
      for (const each of steps) {
        if (each.kind === 'type') {
          if (box.add(each.text)) typed += each.text;
        } else if (each.kind === 'break') {
          deliver(taken(box).slice(0, each.arrive), each.heard);
          box.repeat();
        } else {
          deliver(taken(box), Number.POSITIVE_INFINITY);
        }
      }
      box.repeat();
      deliver(taken(box), Number.POSITIVE_INFINITY);
      expect(got).toBe(typed);
      // The outbox is empty again, so it accepts the maximum number of bytes.
      expect(box.add('x'.repeat(DASHBOARD_INPUT_BYTES))).toBe(true);
    }),
  );
});
