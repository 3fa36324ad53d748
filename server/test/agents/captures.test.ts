import type { ActivityState } from '@agent-console/shared/models/worker';
import { describe, expect, it } from 'vitest';
import { readRecording } from '../../src/activity/recording.ts';
import { type ActivityWatcher, createActivityWatchers } from '../../src/activity/watcher.ts';
import type { Transition } from '../../src/ports/agents.ts';
import { createOfflineScreen } from '../../src/screens/offline.ts';
import { allCaptures, bytesOf, type Capture, seeded } from './support/captures.ts';

const captures = allCaptures();
const SETTLED_MS = 300;
/**
 * Maximum number of pieces in which a recorded session is replayed. Pieces have 200 bytes on average, or more in long
 * sessions.
 */
const LOOKS_MAX = process.env.LONG ? Number.POSITIVE_INFINITY : 60;
const SEEDS = Array.from({ length: process.env.LONG ? 20 : 1 }, (_, index) => index + 1);

describe.each(captures.map((capture) => [capture.name, capture] as const))('%s', (_, capture) => {
  it('is read as it was labelled, from the bytes up to each mark', async () => {
    const bytes = bytesOf(capture);
    const screen = createOfflineScreen(capture.cols, capture.rows);
    const read: Record<string, string> = {};
    let from = 0;
    for (const { mark, end } of capture.labels) {
      await screen.write(bytes.subarray(from, end));
      from = end;
      const { activityState, confidence } = readRecording(capture.reading, bytes.subarray(0, end), screen.content());
      read[mark] = activityState;
      expect(confidence).not.toBe('certain');
    }
    expect(read).toEqual(Object.fromEntries(capture.labels.map(({ mark, state }) => [mark, state])));
  });

  it('goes through the labelled states when it is replayed at its recorded times', async () => {
    const { changes, through } = await play(capture);
    expect(through).toEqual(Object.fromEntries(capture.labels.map((label) => [label.mark, label.through])));
    // If the agent itself reports nothing, the console can be certain only that a process has ended.
    for (const { source, confidence } of changes) if (source !== 'process') expect(confidence).not.toBe('certain');
  });

  it.each(SEEDS)('shows no wrong state when it arrives in random pieces (seed %i)', async (seed) => {
    const wrong = await flickers(capture, seed);
    expect(wrong).toEqual([]);
  });
});

/**
 * Replays a recorded session at its own speed. Returns all transitions, and for each label the states since the
 * previous label.
 */
async function play(capture: Capture): Promise<{ changes: Transition[]; through: Record<string, ActivityState[]> }> {
  let now = 0;
  const watcher = watch(capture, () => now);
  const screen = createOfflineScreen(capture.cols, capture.rows);
  const changes: Transition[] = [];
  const through: Record<string, ActivityState[]> = {};
  const labels = [...capture.labels];
  let offset = 0;
  let states: ActivityState[] = ['unknown'];
  const tell = (more: Transition[]) => {
    changes.push(...more);
    for (const { state } of more) if (state !== states.at(-1)) states.push(state);
  };
  for (const [index, { at, data }] of capture.chunks.entries()) {
    now = at * 1_000;
    tell(watcher.push(offset, data));
    offset += data.length;
    await screen.write(data);
    tell(watcher.screen({ ...screen.content(), offset, settled: false }));
    const next = (capture.chunks[index + 1]?.at ?? Number.POSITIVE_INFINITY) * 1_000;
    const settledAt = now + SETTLED_MS;
    if (next > settledAt) {
      now = settledAt;
      tell(watcher.screen({ ...screen.content(), offset, settled: true }));
    }
    for (
      let label = labels[0];
      label !== undefined && label.end <= offset && label.at * 1_000 < next;
      label = labels[0]
    ) {
      labels.shift();
      now = Math.max(now, label.at * 1_000);
      tell(label.ended ? watcher.end() : watcher.tick());
      through[label.mark] = states;
      states = states.slice(-1);
    }
    for (let due = watcher.dueAt(); due !== null && due < next; due = watcher.dueAt()) {
      now = Math.max(now, due);
      const before = changes.length;
      tell(watcher.tick());
      if (changes.length === before) break;
    }
  }
  screen.close();
  return { changes, through };
}

/**
 * Replays a recorded session in pieces of random length. Returns the mistakes:
 * - reported states that the next label of the session does not contain
 * - states that were reported as certain, although no hook confirmed them
 */
async function flickers(capture: Capture, seed: number): Promise<string[]> {
  const random = seeded(seed);
  const bytes = bytesOf(capture);
  let now = 0;
  const watcher = watch(capture, () => now);
  const screen = createOfflineScreen(capture.cols, capture.rows);
  const wrong: string[] = [];
  const pieceBytes = 2 * Math.max(200, Math.ceil(bytes.length / LOOKS_MAX));
  let offset = 0;
  for (const label of capture.labels) {
    const told: Transition[] = [];
    while (offset < label.end) {
      const data = bytes.subarray(offset, Math.min(label.end, offset + 1 + random(pieceBytes)));
      now += 5;
      told.push(...watcher.push(offset, data));
      offset += data.length;
      await screen.write(data);
      told.push(...watcher.screen({ ...screen.content(), offset, settled: false }));
    }
    now += SETTLED_MS;
    told.push(...watcher.screen({ ...screen.content(), offset, settled: true }));
    const there = ['unknown', ...label.through, ...(label.brief ?? [])];
    const others = told.filter(({ state }) => !there.includes(state));
    wrong.push(...others.map(({ state }) => `${label.mark}: ${state}`));
    wrong.push(...told.filter(({ confidence }) => confidence === 'certain').map(({ state }) => `certain ${state}`));
    now += 10_000;
    watcher.tick();
  }
  screen.close();
  return wrong;
}

function watch(capture: Capture, now: () => number): ActivityWatcher {
  const watchers = createActivityWatchers(() => capture.reading, now);
  return watchers('custom', { offset: 0, state: 'unknown', confidence: 'guess' });
}
