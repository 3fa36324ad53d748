import { AGENT_CHECK_ANSWER_MS, BRANCH_NAMING_MS } from '@agent-console/shared/limits/agents';
import { describe, expect, it } from 'vitest';
import { createAgentKinds } from '../../src/agents/kinds.ts';
import { findingsOf, type Seen } from '../../src/engine/checks/findings.ts';

const kinds = createAgentKinds({ scriptedAgent: '' });

/** Facts about an agent of which only the program is known. */
function seen(change: Partial<Seen>): Seen {
  return {
    definition: { id: 'opencode', name: 'opencode', command: ['opencode'] },
    kind: kinds('opencode'),
    program: '/usr/bin/opencode',
    version: null,
    loggedIn: 'yes',
    deep: true,
    trial: null,
    oneShot: null,
    goingOn: null,
    ...change,
  };
}

const STARTING: NonNullable<Seen['trial']> = {
  refused: null,
  exit: null,
  activity: { activityState: 'unknown', activitySource: 'process', confidence: 'guess' },
  hooksReported: false,
  toolsReached: true,
  turn: 'not given',
  question: null,
  screen: 'One moment',
};
const ANSWERED = { stdout: 'OK', exitCode: 0, ended: null };

const told = (given: Seen) => Object.fromEntries(findingsOf(given).map(({ name, result }) => [name, result]));
const detailOf = (given: Seen, name: string) => findingsOf(given).find((each) => each.name === name)?.detail;

describe('findings of a check in progress', () => {
  const goingOn = AGENT_CHECK_ANSWER_MS / 1_000;

  it('contain final results, and are unknown otherwise', () => {
    const given = seen({ trial: STARTING, goingOn });
    expect(told(given)).toEqual({
      program: 'yes',
      version: 'unknown',
      login: 'yes',
      start: 'yes',
      screen: 'unknown',
      hooks: 'skipped',
      tools: 'yes',
      resume: 'yes',
      fork: 'yes',
      turn: 'unknown',
      oneShot: 'unknown',
    });
    expect(detailOf(given, 'screen')).toBe(
      `Not known after ${goingOn} s. It goes on: check it again for the rest. Its screen shows:\nOne moment`,
    );
  });

  it('contain nothing about a start that has not happened', () => {
    expect(told(seen({ goingOn }))).toMatchObject({ start: 'unknown', screen: 'unknown', tools: 'unknown' });
  });
});

describe('findings about an agent without a terminal', () => {
  it('say that it answers, also when it is too slow to name branches', () => {
    const [quick, slow] = [BRANCH_NAMING_MS, BRANCH_NAMING_MS + 1_000].map((tookMs) =>
      seen({ trial: STARTING, oneShot: { ...ANSWERED, tookMs } }),
    );
    expect([quick, slow].map((each) => each && told(each).oneShot)).toEqual(['yes', 'yes']);
    expect(quick && detailOf(quick, 'oneShot')).toContain('can name branches');
    expect(slow && detailOf(slow, 'oneShot')).toContain('took 21 s. After 20 s prompts name their branches');
  });

  it('say that it does not answer', () => {
    const silent = seen({ trial: STARTING, oneShot: { stdout: '', exitCode: null, ended: 'timeout', tookMs: 60_000 } });
    expect(told(silent).oneShot).toBe('no');
  });
});
