import { DIRTY_LINE_MS, UNKNOWN_SILENT_MS } from '@agent-console/shared/limits/typing';
import { agent, decides, head, NOW, owing, REMINDER_MS, STALE_AGENT, typing } from './session-states.ts';

const GONE = { runnerGone: true };
const awaitingRunner = { do: 'wait', blocked: 'the runner is gone' } as const;

decides({
  'a session whose runner is gone': [
    ['starts no waiting prompt', { ...GONE, agent: null, queueHead: head }, awaitingRunner],
    [
      'is not resumed by one',
      { ...GONE, agent: null, queueHead: head, mark: 'paused', pausedBy: 'idle' },
      awaitingRunner,
    ],
    [
      'shows nothing where the queue is held anyway',
      { ...GONE, agent: null, queueHead: head, queueHeld: true },
      { do: 'wait' },
    ],
    ['starts no agent for its task', { ...GONE, agent: null, turnTaskId: 'now' }, { do: 'wait' }],
    [
      'is not resumed by a notice',
      { ...GONE, mark: 'paused', pausedBy: 'idle', agent: null, pendingNotices: 1 },
      { do: 'wait' },
    ],
    ['is given no notice', { ...GONE, pendingNotices: 1 }, { do: 'wait' }],
    ['is typed nothing', { ...GONE, input: typing({}) }, { do: 'wait' }],
    ['is not reminded', { ...GONE, unreported: { ...owing, quietSince: NOW - REMINDER_MS } }, { do: 'wait' }],
    ['ends no process', { ...GONE, mark: 'stopped' }, { do: 'wait' }],
  ],
  'an agent that lives in a session at rest': [
    ['is ended in a stopped one', { mark: 'stopped' }, { do: 'endAgent' }],
    ['is ended in a paused one', { mark: 'paused', pausedBy: 'person' }, { do: 'endAgent' }],
    ['stays in one that was called done', { mark: 'completed' }, { do: 'wait' }],
    [
      'is ended in one that was called done and is idle since',
      { mark: 'completed', pausedBy: 'idle' },
      { do: 'endAgent' },
    ],
    [
      'is ended in one that was called failed and is idle since',
      { mark: 'failed', pausedBy: 'idle' },
      { do: 'endAgent' },
    ],
    ['is ended in an archived one', { archived: true }, { do: 'endAgent' }],
  ],
  'a session that was called done before the agent of its turn was there': [
    ['gets the agent', { mark: 'completed', agent: null, turnTaskId: 'now' }, { do: 'startAgent' }],
    ['begins nothing that is queued', { mark: 'completed', agent: null, queueHead: head }, { do: 'wait' }],
  ],
  'a session with nothing to do': [
    ['waits', {}, { do: 'wait' }],
    [
      'waits when archived, whatever waits in it',
      { archived: true, agent: null, queueHead: head, pendingNotices: 1 },
      { do: 'wait' },
    ],
  ],
  'a queued prompt': [
    ['becomes the task of an idle session', { queueHead: head }, { do: 'startTask', taskId: 'next' }],
    [
      'becomes the task of a session without an agent',
      { queueHead: head, agent: null },
      { do: 'startTask', taskId: 'next' },
    ],
    ['starts an agent once it is the task', { turnTaskId: 'next', agent: null }, { do: 'startAgent' }],
    ['is typed once the agent is there', { turnTaskId: 'next' }, { do: 'prepareInput', taskId: 'next' }],
    [
      'waits behind the running one',
      { queueHead: head, turnTaskId: 'first', input: typing({ state: 'accepted' }) },
      { do: 'wait' },
    ],
    [
      'waits while a person has the agent at work',
      { queueHead: head, agent: agent({ activityState: 'active' }) },
      { do: 'wait' },
    ],
    ['waits after the agent exited', { queueHead: head, queueHeld: true, agent: null }, { do: 'wait' }],
    [
      'waits in a session that a person paused',
      { queueHead: head, mark: 'paused', pausedBy: 'person', agent: null },
      { do: 'wait' },
    ],
    [
      'wakes a session that was paused for idleness',
      { queueHead: head, mark: 'paused', pausedBy: 'idle', agent: null },
      { do: 'resume' },
    ],
    ['waits in a stopped session', { queueHead: head, mark: 'stopped', agent: null }, { do: 'wait' }],
  ],
  'a notice': [
    ['goes before queued prompts', { pendingNotices: 1, queueHead: head }, { do: 'startNotices' }],
    ['is told to an agent that owes a report', { pendingNotices: 1, unreported: owing }, { do: 'startNotices' }],
    ['waits while the agent works', { pendingNotices: 1, agent: agent({ activityState: 'active' }) }, { do: 'wait' }],
    ['waits while the agent asks', { pendingNotices: 1, agent: agent({ activityState: 'asking' }) }, { do: 'wait' }],
    ['waits for a session without a process', { pendingNotices: 1, agent: null }, { do: 'wait' }],
    [
      'wakes a session that was paused for idleness',
      { pendingNotices: 1, mark: 'paused', pausedBy: 'idle', agent: null },
      { do: 'resume' },
    ],
  ],
  'an agent whose permission mode was changed': [
    ['is ended before the next prompt', { agent: STALE_AGENT, queueHead: head }, { do: 'endAgent' }],
    ['is ended before notices', { agent: STALE_AGENT, pendingNotices: 1 }, { do: 'endAgent' }],
    ['lives on while nothing is to be done', { agent: STALE_AGENT }, { do: 'wait' }],
    ['lives on while the queue is held', { agent: STALE_AGENT, queueHead: head, queueHeld: true }, { do: 'wait' }],
    [
      'finishes its turn',
      { agent: STALE_AGENT, queueHead: head, turnTaskId: 'first', input: typing({ state: 'accepted' }) },
      { do: 'wait' },
    ],
    ['is not ended at work', { agent: { ...STALE_AGENT, activityState: 'active' }, queueHead: head }, { do: 'wait' }],
    [
      'is not ended while it asks',
      { agent: { ...STALE_AGENT, activityState: 'asking' }, queueHead: head },
      { do: 'wait' },
    ],
    [
      'is not ended while it owes a report, which its end would end',
      { agent: STALE_AGENT, pendingNotices: 1, unreported: owing },
      { do: 'startNotices' },
    ],
    [
      'is not ended while a line of a person stands unfinished',
      { agent: { ...STALE_AGENT, dirtySince: NOW }, queueHead: head },
      { do: 'wait', blocked: 'waiting for the keyboard', wakeAt: NOW + DIRTY_LINE_MS },
    ],
    [
      'is ended then when a person says so',
      { agent: { ...STALE_AGENT, dirtySince: NOW }, queueHead: { ...head, sendNow: true } },
      { do: 'endAgent' },
    ],
    [
      'is not ended while nobody knows what it does',
      { agent: { ...STALE_AGENT, activityState: 'unknown', lastOutputAt: NOW - UNKNOWN_SILENT_MS }, queueHead: head },
      { do: 'wait', blocked: 'activity unknown' },
    ],
  ],
  'a task that owes a report': [
    ['is timed from the moment all is quiet', { unreported: owing }, { do: 'markQuiet', taskId: 'owes' }],
    ['waits its time', { unreported: { ...owing, quietSince: NOW } }, { do: 'wait', wakeAt: NOW + REMINDER_MS }],
    [
      'is reminded of it',
      { unreported: { ...owing, quietSince: NOW - REMINDER_MS } },
      { do: 'remind', taskId: 'owes' },
    ],
    [
      'is not timed while its own children work',
      { unreported: { ...owing, quietSince: NOW - 1 }, delegatedTasks: 1 },
      { do: 'clearQuiet', taskId: 'owes' },
    ],
    [
      'is not timed while its agent works',
      { unreported: { ...owing, quietSince: NOW - 1 }, agent: agent({ activityState: 'active' }) },
      { do: 'clearQuiet', taskId: 'owes' },
    ],
    [
      'ends unreported when its source prompts again',
      { unreported: owing, queueHead: { ...head, fromPerson: false, source: 'parent' } },
      { do: 'closeUnreported', taskId: 'owes' },
    ],
    [
      'ends unreported when a person prompts',
      { unreported: owing, queueHead: head },
      { do: 'closeUnreported', taskId: 'owes' },
    ],
    [
      'holds prompts of anyone else back',
      { unreported: owing, queueHead: { ...head, fromPerson: false, source: 'other' } },
      { do: 'markQuiet', taskId: 'owes' },
    ],
    [
      'ends when a reminder was lost',
      { unreported: { ...owing, reminded: true, quietSince: NOW - REMINDER_MS } },
      { do: 'closeUnreported', taskId: 'owes' },
    ],
  ],
});
