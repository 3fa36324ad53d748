import type { OrchestrationEvent, OrchestrationEventType } from '@agent-console/shared/models/orchestration';
import { expect, it } from 'vitest';
import { describeRunEvent } from '../../src/features/runs/describe-run-event.ts';
import { replay } from '../../src/features/runs/replay.ts';
import { at, ended, run, runAgent } from './fixtures.ts';

let id = 0;
function event(eventType: OrchestrationEventType, seconds: number, agentId: string | null = null, data = {}) {
  id += 1;
  return { id, timestamp: at(seconds), eventType, agentId, data } satisfies OrchestrationEvent;
}

const EVENTS = [
  event('session_created', 0),
  event('session_started', 1),
  event('agent_started', 2, 'a', { attempt: 1, sessionId: 's1', taskId: 't1' }),
  event('progress', 3, 'a', { progress: 0.5, status: 'half' }),
  event('agent_failed', 4, 'a', { attempt: 1, errorMessage: 'no tests' }),
  event('agent_retried', 5, 'a', { attempt: 1 }),
  event('agent_added', 6, 'b'),
  event('agent_started', 7, 'a', { attempt: 2, sessionId: 's2', taskId: 't2' }),
  event('agent_completed', 9, 'a', { attempt: 2, sessionId: 's2', taskId: 't2', exitCode: 0 }),
  event('agent_skipped', 9, 'b', { reason: 'upstream_failed' }),
  event('session_failed', 10, null, { errorMessage: 'b' }),
];
const NOW = run(
  [
    ended('a', 2, 9, { attempt: 2, sessionId: 's2', taskId: 't2', exitCode: 0, progress: 0.5, status: 'half' }),
    runAgent('b', { state: 'skipped', reason: 'upstream_failed', completedAt: at(9) }),
  ],
  { state: 'failed', startedAt: at(1), completedAt: at(10), completedAgents: 1, failedAgents: 0 },
);

it('returns the current state after all events', () => {
  expect(replay(NOW, EVENTS, EVENTS.length)).toEqual(NOW);
});

it('returns every state in between', () => {
  const states = EVENTS.map((_, index) => {
    const { state, agents } = replay(NOW, EVENTS, index + 1);
    return [state, ...agents.map((agent) => `${agent.agentId} ${agent.state} ${agent.attempt}`)].join(', ');
  });
  expect(states).toEqual([
    'created, a pending 0',
    'running, a pending 0',
    'running, a running 1',
    'running, a running 1',
    'running, a failed 1',
    'running, a pending 1',
    'running, a pending 1, b pending 0',
    'running, a running 2, b pending 0',
    'running, a completed 2, b pending 0',
    'running, a completed 2, b skipped 0',
    'failed, a completed 2, b skipped 0',
  ]);
});

it.each([
  ['integration', { state: 'running', conflicts: 0 }, 'Integration started'],
  ['integration', { state: 'integrated', conflicts: 0 }, 'Integration completed'],
  ['integration', { agentId: 'a', state: 'running', conflicts: 0 }, 'integrated'],
  ['integration', { agentId: 'a', state: 'conflicts', conflicts: 2 }, 'not integrated: 2 files in conflict'],
  ['agent_waiting', { reason: 'quota' }, 'waits: the usage limit of the subscription was reached'],
  ['agent_waiting', { reason: null }, 'is no longer waiting'],
  ['budget', { limit: 'wallSeconds', used: 250.4, allowed: 300 }, 'Budget: 4 m 10 s of 5 m used'],
  ['budget', { limit: 'money', used: 1.2, allowed: 1.5 }, 'Budget: $1.20 of $1.50 used'],
  ['budget', { limit: 'agents', used: 5, allowed: 5 }, 'Budget: 5 of 5 agents used'],
] as const)('describes %s with %o', (eventType, data, sentence) => {
  expect(describeRunEvent({ eventType, agentId: 'agentId' in data ? data.agentId : null, data })).toBe(sentence);
});

it('describes events in words', () => {
  expect(EVENTS.map((each) => describeRunEvent(each))).toEqual([
    'Run created',
    'Run started',
    'started',
    'is 50 % complete: half',
    'failed: no tests',
    'runs again',
    'added',
    'started, attempt 2',
    'completed',
    'skipped: this agent depends on an agent that failed',
    'Run failed: b',
  ]);
});
