import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { expect, test } from 'vitest';
import type { EventGroup } from '../../src/features/events/describe-event.ts';
import { shownEvents } from '../../src/features/events/shown-events.ts';

const events = ['session.created', 'task.queued', 'session.paused', 'task.started'].map(
  (type, at) => ({ seq: at + 1, type }) as ConsoleEvent,
);
const shownWith = (hidden: readonly EventGroup[], lastShownSeq?: number) => {
  const { shown, newCount } = shownEvents(events, new Set(hidden), lastShownSeq);
  return { shown: shown.map(({ seq }) => seq), newCount };
};

test('all events are shown at the top of the list, and below it, newer ones are counted', () => {
  expect(shownWith([])).toEqual({ shown: [1, 2, 3, 4], newCount: 0 });
  expect(shownWith([], 2)).toEqual({ shown: [1, 2], newCount: 2 });
});

test('events of hidden groups are neither shown nor counted as new', () => {
  expect(shownWith(['session'])).toEqual({ shown: [2, 4], newCount: 0 });
  expect(shownWith(['session'], 2)).toEqual({ shown: [2], newCount: 1 });
  expect(shownWith(['session', 'prompts'], 2)).toEqual({ shown: [], newCount: 0 });
});
