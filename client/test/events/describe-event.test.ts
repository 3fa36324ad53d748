import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { EVENT_TYPES } from '@agent-console/shared/models/event-data';
import { describe, expect, it } from 'vitest';
import {
  describeEvent,
  EVENT_GROUPS,
  eventFacts,
  eventGroup,
  eventTone,
} from '../../src/features/events/describe-event.ts';

const describeData = (type: ConsoleEvent['type'], data: ConsoleEvent['data'] = {}) => describeEvent({ type, data });

describe('event descriptions', () => {
  it.each(EVENT_TYPES)('%s has a sentence even without data', (type) => {
    const sentence = describeData(type);
    expect(sentence).toMatch(/^[A-Z]/);
    expect(sentence).not.toMatch(/undefined|null|\[object|\s$|:$|_|Orchestration|Job /);
    expect(EVENT_GROUPS).toContain(eventGroup({ type }));
  });

  it.each<[ConsoleEvent['type'], ConsoleEvent['data'], string]>([
    [
      'task.ended',
      { status: 'failed', outcomeSource: 'report', certain: true },
      'Work on the prompt failed (reported by the agent, certain)',
    ],
    ['task.ended', { status: 'completed', kind: 'notice' }, 'Notices delivered'],
    ['job.started', { kind: 'base-update' }, 'Update from the base branch started'],
    ['job.succeeded', { kind: 'integration' }, 'Merge finished'],
    ['job.started', { kind: 'integration', dryRun: true }, 'Preview of a merge started'],
    ['job.succeeded', { kind: 'pull-request', dryRun: true }, 'Preview of a push with a pull request finished'],
    ['job.failed', { kind: 'commit', dryRun: true, error: { message: 'No' } }, 'Preview of a commit failed: No'],
    ['job.failed', { kind: 'brand-new', error: { message: 'No' } }, 'Background work failed: No'],
    ['worktree.updated', { currentSha: 'eb245644e1f5abd7' }, 'Worktree updated at commit eb245644e1f5'],
    ['user.marked', { readUntil: '2026-01-01T00:00:00.000Z' }, 'Outcomes marked as read'],
    ['orchestration.created', { objective: 'Build the shop\nfast' }, 'Run created: Build the shop'],
    ['orchestration.failed', { errorMessage: 'Failed: plan. Skipped: build.' }, 'Run failed: plan. Skipped: build.'],
    ['orchestration.paused', { pausedBy: 'budget' }, 'Run paused, because a budget limit was reached'],
    [
      'orchestration.agent_retried',
      { agentId: 'plan', reason: 'exited', errorMessage: 'The agent exited with status 1.' },
      'Agent “plan” of a run runs again: The agent exited with status 1.',
    ],
    [
      'orchestration.agent_paused',
      { agentId: 'plan', reason: 'budget' },
      'Agent “plan” of a run paused: a budget limit was reached',
    ],
    [
      'orchestration.artifact_added',
      { agentId: 'plan', artifacts: ['report.md'] },
      'Agent “plan” of a run reported a result: report.md',
    ],
    [
      'orchestration.cleaned_up',
      { error: { code: 'BUSY', message: 'The disk is full.' } },
      'Run could not be removed completely: The disk is full.',
    ],
    ['orchestration.budget_used', { limit: 'agents', used: 1, allowed: 1 }, 'Budget of a run: 1 of 1 agent used'],
    ['orchestration.agent_added', { agentId: 'plan' }, 'Agent “plan” of a run added'],
    [
      'orchestration.agent_waited',
      { agentId: 'plan', reason: 'quota' },
      'Agent “plan” of a run waits: the usage limit of the subscription was reached',
    ],
    ['orchestration.agent_waited', { agentId: 'plan', reason: null }, 'Agent “plan” of a run is no longer waiting'],
    [
      'orchestration.progressed',
      { agentId: 'plan', progress: 0.5, status: 'half' },
      'Agent “plan” of a run is 50 % complete: half',
    ],
    [
      'orchestration.budget_used',
      { limit: 'agents', used: 5, allowed: 5, exhausted: true },
      'Budget of a run: 5 of 5 agents used',
    ],
    ['orchestration.budget_used', { exhausted: true }, 'Budget of a run used up'],
    [
      'orchestration.integrated',
      { agentId: null, state: 'integrated', conflicts: 0 },
      'Integration of a run completed',
    ],
    [
      'orchestration.integrated',
      { agentId: 'plan', state: 'conflicts', conflicts: 1 },
      'Work of agent “plan” of a run not integrated: 1 file in conflict',
    ],
    ['session.budget_used', { limit: 'wallSeconds', exhausted: true }, 'Session has used up its budget (time)'],
    ['orchestration.agent_failed', { agentId: 'plan', errorMessage: 'No' }, 'Agent “plan” of a run failed: No'],
    ['worker.exited', { workerType: 'agent', exitCode: 3, signal: null }, 'Agent exited with code 3'],
    ['worker.exited', { workerType: 'terminal', exitCode: null, signal: 'SIGKILL' }, 'Terminal terminated by SIGKILL'],
    ['activity.changed', { activityState: 'asking' }, 'Agent is asking a question'],
    ['activity.changed', { activityState: 'brand new' }, 'Agent is in an unknown state'],
    [
      'input.blocked',
      { blocked: 'a person is typing in the terminal' },
      'Prompt blocked: a person is typing in the terminal',
    ],
    ['input.blocked', { blocked: null }, 'Prompt no longer blocked'],
    ['worktree.failed', { error: { message: 'No space' } }, 'Worktree could not be created: No space'],
    [
      'worktree.saved',
      { recoveryRef: 'refs/agent-console/recovery/shop' },
      'Contents of the worktree saved in refs/agent-console/recovery/shop',
    ],
    ['delegation.advanced', { state: 'starting_agent' }, 'Delegation: starting the agent'],
    [
      'session.updated',
      {
        permission: {
          before: { mode: 'auto', ceiling: 'auto' },
          after: { mode: 'ask', ceiling: 'ask' },
          loweredBy: 'a-session',
        },
      },
      'Permission mode changed from auto to ask, highest allowed mode changed from auto to ask, because the permission of the parent session was lowered',
    ],
    ['notice.created', { kind: 'ended', status: 'completed' }, "Notice received: another session's work completed"],
    ['notice.created', { kind: 'conflict', status: null }, 'Notice received: changes of other sessions conflict'],
    ['notice.delivered', { kind: 'conflict' }, 'Notice delivered: changes of other sessions conflict'],
    ['notice.created', { kind: 'brand-new', status: null }, 'Notice received'],
  ])('%s %j', (type, data, sentence) => {
    expect(describeData(type, data)).toBe(sentence);
  });

  it('cannot be reordered by untrusted text', () => {
    expect(describeData('approval.requested', { text: 'echo \u202efr- mr' })).toBe('Agent asked: echo ‹U+202E›fr- mr');
    expect(describeData('session.updated', { title: 'דף' })).toBe('Session renamed to “\u2068דף\u2069”');
    expect(describeData('worktree.failed', { error: { message: 'a\u2066b' } })).toBe(
      'Worktree could not be created: a‹U+2066›b',
    );
  });

  it('consist of the words of the type if nothing else is known', () => {
    expect(describeData('session.archived')).toBe('Session archived');
    expect(describeData('future.happened' as ConsoleEvent['type'])).toBe('Future happened');
  });

  it('stand out when something failed or needs a person', () => {
    expect(eventTone({ type: 'task.ended', data: { status: 'failed' } })).toBe('failed');
    expect(eventTone({ type: 'task.waiting', data: { waitingFor: 'answer' } })).toBe('needs');
    expect(eventTone({ type: 'task.waiting', data: { waitingFor: 'report' } })).toBe('plain');
  });

  it('list their details as text, without empty ones', () => {
    const facts = eventFacts({
      seq: 7,
      at: '2026-01-01T00:00:00.000Z',
      type: 'worker.exited',
      subject: { kind: 'worker', id: 'w' },
      actor: 'system',
      data: { exitCode: 0, signal: null, error: { code: 'X' } },
    });
    expect(Object.fromEntries(facts.map(({ name, value }) => [name, value]))).toEqual({
      event: '7',
      type: 'worker.exited',
      worker: 'w',
      actor: 'system',
      exitCode: '0',
      error: '{"code":"X"}',
    });
  });
});
