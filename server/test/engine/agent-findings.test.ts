import { AGENT_CHECK_ANSWER_MS } from '@agent-console/shared/limits/agents';
import { describe, expect, it } from 'vitest';
import { createAgentKinds } from '../../src/agents/kinds.ts';
import { type Facts, findingsOf, isOk } from '../../src/engine/checks/findings.ts';

const kinds = createAgentKinds({ scriptedAgent: '', cli: '' });

/** Facts about an agent; by default only its program and its log-in are known. */
function factsOf(change: Partial<Facts>): Facts {
  return {
    definition: { id: 'opencode', name: 'opencode', command: ['opencode'] },
    kind: kinds('opencode'),
    program: '/usr/bin/opencode',
    version: null,
    loggedIn: 'yes',
    withPrompt: true,
    observed: null,
    prompted: null,
    unfinishedFor: null,
    ...change,
  };
}

const STARTING: NonNullable<Facts['observed']> = {
  refused: null,
  exit: null,
  activity: { activityState: 'unknown', activitySource: 'process', confidence: 'guess' },
  hooksReported: false,
  toolsReached: true,
  question: null,
  problem: null,
  output: { on: 'screen', text: 'One moment' },
};
const IDLE = { ...STARTING, activity: { ...STARTING.activity, activityState: 'idle' } } as const;
const ANSWERED = { stdout: 'OK', exitCode: 0, ended: null };

const resultsOf = (facts: Facts) => Object.fromEntries(findingsOf(facts).map(({ name, result }) => [name, result]));
const detailOf = (facts: Facts, name: string) => findingsOf(facts).find((finding) => finding.name === name)?.detail;

describe('the findings of an unfinished check', () => {
  const unfinishedFor = AGENT_CHECK_ANSWER_MS / 1_000;

  it('include results that can no longer change; the others are unknown', () => {
    const facts = factsOf({ observed: STARTING, unfinishedFor });
    expect(resultsOf(facts)).toEqual({
      program: 'yes',
      version: 'unknown',
      login: 'unknown',
      start: 'unknown',
      tools: 'yes',
    });
    expect(detailOf(facts, 'start')).toBe(
      `This part of the check has no result after ${unfinishedFor} s. The check continues; check again to see the remaining results. The screen shows:\nOne moment`,
    );
    expect(resultsOf({ ...facts, withPrompt: false })).toMatchObject({ login: 'yes' });
  });

  it('name the package of a program that is missing', () => {
    expect(detailOf(factsOf({ program: null }), 'program')).toBe(
      'opencode was not found on PATH. Install it, for example with `npm install -g opencode-ai`, then check again.',
    );
    const definition = { id: 'mine', name: 'Mine', command: ['my-opencode'] };
    expect(detailOf(factsOf({ program: null, definition }), 'program')).toBe(
      'my-opencode was not found on PATH. Install it, then check again.',
    );
  });

  it('show the error output of an agent without a screen, or its reason', () => {
    const startOf = (change: Partial<typeof STARTING>) =>
      detailOf(factsOf({ observed: { ...STARTING, ...change } }), 'start');
    const exit = { exitCode: 1, signal: null };
    expect(startOf({ exit, output: { on: 'errors', text: 'no model' } })).toBe(
      'The agent ended unexpectedly with exit code 1. Its error output ends with:\nno model',
    );
    expect(startOf({ exit, output: { on: 'errors', text: '' } })).toBe(
      'The agent ended unexpectedly with exit code 1.',
    );
    expect(startOf({ exit, problem: 'The agent is not logged in.' })).toBe('The agent is not logged in.');
  });

  it('are unknown for a start that has not yet been made', () => {
    expect(resultsOf(factsOf({ unfinishedFor }))).toMatchObject({ start: 'unknown', tools: 'unknown' });
  });
});

describe('the findings of a check with a prompt', () => {
  it('confirm the log-in if the agent answered the prompt', () => {
    const facts = factsOf({ loggedIn: 'unknown', observed: IDLE, prompted: ANSWERED });
    expect(detailOf(facts, 'login')).toBe('The agent answered a prompt.');
    expect(isOk(findingsOf(facts), facts)).toBe(true);
  });

  it('deny the log-in if the agent did not answer, despite signs of a log-in', () => {
    const facts = factsOf({ observed: IDLE, prompted: { stdout: '', exitCode: null, ended: 'timeout' } });
    expect(resultsOf(facts)).toMatchObject({ start: 'yes', login: 'no' });
    expect(isOk(findingsOf(facts), facts)).toBe(false);
  });
});

it('the findings do not report an agent as ready if its hooks sent nothing', () => {
  const facts = factsOf({ kind: kinds('claude-code'), observed: IDLE });
  expect(resultsOf(facts)).toMatchObject({ start: 'no' });
});
