import { expect, test } from 'vitest';
import { knownLabels, labelsAfter, shareOf } from '../../src/features/labels/label-choices.ts';

const sessions = [{ labels: ['ui', 'backend'] }, { labels: ['ui'] }];

test('a choice sets or removes a label on every session, and leaves other labels as they are', () => {
  const choices = { docs: true, ui: false, backend: true };
  expect(sessions.map(({ labels }) => labelsAfter(labels, choices))).toEqual([
    ['backend', 'docs'],
    ['docs', 'backend'],
  ]);
  expect(labelsAfter(['ui'], {})).toEqual(['ui']);
});

test('labels are known from all sessions, with how many of them have one', () => {
  expect(knownLabels(sessions, { docs: true })).toEqual(['backend', 'docs', 'ui']);
  expect(['ui', 'backend', 'docs'].map((label) => shareOf(label, sessions))).toEqual(['all', 'some', 'none']);
});
