import { LIVE_LIMIT_POLL_MS } from '@agent-console/shared/limits/sessions';
import { UNFINISHED_LINE_MS, UNKNOWN_SILENT_MS } from '@agent-console/shared/limits/typing';
import { agent, decides, head, NOW, owing, REMINDER_MS, STALE_AGENT, typing } from './session-states.ts';

const GONE = { runnerGone: true };
const FULL = { agent: null, reachedLiveLimit: 2 };
const IDLE = { mark: 'paused', pausedBy: 'idle' } as const;
const awaitingPlace = {
  do: 'wait',
  wakeAt: NOW + LIVE_LIMIT_POLL_MS,
  blocked: 'at most 2 sessions may be live (setting liveSessions); stop or pause one',
} as const;
const awaitingRunner = { do: 'wait', blocked: 'the runner has ended; a person must run agent-console serve' } as const;

decides({
  'a session whose runner is gone': [
    ['starts no queued prompt', { ...GONE, agent: null, queueHead: head }, awaitingRunner],
    [
      'is not resumed by a queued prompt',
      { ...GONE, agent: null, queueHead: head, mark: 'paused', pausedBy: 'idle' },
      awaitingRunner,
    ],
    [
      'shows no reason when the queue is held anyway',
      { ...GONE, agent: null, queueHead: head, queueHeld: true },
      { do: 'wait' },
    ],
    ['starts no agent for its task', { ...GONE, agent: null, turnTaskId: 'now' }, { do: 'wait' }],
    [
      'is not resumed by a notice',
      { ...GONE, mark: 'paused', pausedBy: 'idle', agent: null, pendingNotices: 1 },
      { do: 'wait' },
    ],
    ['gets no notice', { ...GONE, pendingNotices: 1 }, { do: 'wait' }],
    ['gets no input', { ...GONE, input: typing({}) }, { do: 'wait' }],
    ['is not reminded', { ...GONE, unreported: { ...owing, quietSince: NOW - REMINDER_MS } }, { do: 'wait' }],
    ['ends no process', { ...GONE, mark: 'stopped' }, { do: 'wait' }],
  ],
  'a session without an agent, while as many sessions are live as allowed,': [
    ['starts no queued prompt', { ...FULL, queueHead: head }, awaitingPlace],
    ['is not resumed by a queued prompt', { ...FULL, ...IDLE, queueHead: head }, awaitingPlace],
    ['queues the notices that would resume it', { ...FULL, ...IDLE, pendingNotices: 1 }, { do: 'queueNotices' }],
    ['shows no reason when the queue is held anyway', { ...FULL, queueHead: head, queueHeld: true }, { do: 'wait' }],
    ['gets the agent for a task that has started', { ...FULL, turnTaskId: 'now' }, { do: 'startAgent' }],
    ['is resumed when another session has ended', { ...IDLE, agent: null, pendingNotices: 1 }, { do: 'resume' }],
  ],
  'a running agent in a session at rest': [
    ['is ended in a stopped session', { mark: 'stopped' }, { do: 'endAgent' }],
    ['is ended in a paused session', { mark: 'paused', pausedBy: 'person' }, { do: 'endAgent' }],
    ['keeps running in a session marked completed', { mark: 'completed' }, { do: 'wait' }],
    [
      'is ended in a session marked completed that is paused for idleness',
      { mark: 'completed', pausedBy: 'idle' },
      { do: 'endAgent' },
    ],
    [
      'is ended in a session marked failed that is paused for idleness',
      { mark: 'failed', pausedBy: 'idle' },
      { do: 'endAgent' },
    ],
    ['is ended in an archived session', { archived: true }, { do: 'endAgent' }],
  ],
  'a session marked completed before the agent of its turn was started': [
    ['gets the agent', { mark: 'completed', agent: null, turnTaskId: 'now' }, { do: 'startAgent' }],
    ['starts no queued prompt', { mark: 'completed', agent: null, queueHead: head }, { do: 'wait' }],
  ],
  'a session with nothing to do': [
    ['waits', {}, { do: 'wait' }],
    [
      'waits when archived, whatever is queued',
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
    ['becomes an input once the agent runs', { turnTaskId: 'next' }, { do: 'prepareInput', taskId: 'next' }],
    [
      'waits for the running task',
      { queueHead: head, turnTaskId: 'first', input: typing({ state: 'accepted' }) },
      { do: 'wait' },
    ],
    [
      "waits while the agent works on a person's input",
      { queueHead: head, agent: agent({ activityState: 'active' }) },
      { do: 'wait' },
    ],
    ['waits after the agent exited', { queueHead: head, queueHeld: true, agent: null }, { do: 'wait' }],
    [
      'waits in a session paused by a person',
      { queueHead: head, mark: 'paused', pausedBy: 'person', agent: null },
      { do: 'wait' },
    ],
    [
      'resumes a session paused for idleness',
      { queueHead: head, mark: 'paused', pausedBy: 'idle', agent: null },
      { do: 'resume' },
    ],
    ['waits in a stopped session', { queueHead: head, mark: 'stopped', agent: null }, { do: 'wait' }],
  ],
  'a notice': [
    ['goes before queued prompts', { pendingNotices: 1, queueHead: head }, { do: 'startNotices' }],
    ['is delivered to an agent that owes a report', { pendingNotices: 1, unreported: owing }, { do: 'startNotices' }],
    ['waits while the agent works', { pendingNotices: 1, agent: agent({ activityState: 'active' }) }, { do: 'wait' }],
    ['waits while the agent asks', { pendingNotices: 1, agent: agent({ activityState: 'asking' }) }, { do: 'wait' }],
    ['waits for a session without a process', { pendingNotices: 1, agent: null }, { do: 'wait' }],
    [
      'resumes a session paused for idleness',
      { pendingNotices: 1, mark: 'paused', pausedBy: 'idle', agent: null },
      { do: 'resume' },
    ],
  ],
  'an agent whose permission mode was changed': [
    ['is ended before the next prompt', { agent: STALE_AGENT, queueHead: head }, { do: 'endAgent' }],
    ['is ended before notices', { agent: STALE_AGENT, pendingNotices: 1 }, { do: 'endAgent' }],
    ['keeps running while nothing is queued', { agent: STALE_AGENT }, { do: 'wait' }],
    ['keeps running while the queue is held', { agent: STALE_AGENT, queueHead: head, queueHeld: true }, { do: 'wait' }],
    [
      'finishes its turn',
      { agent: STALE_AGENT, queueHead: head, turnTaskId: 'first', input: typing({ state: 'accepted' }) },
      { do: 'wait' },
    ],
    [
      'is not ended while it works',
      { agent: { ...STALE_AGENT, activityState: 'active' }, queueHead: head },
      { do: 'wait' },
    ],
    [
      'is not ended while it asks',
      { agent: { ...STALE_AGENT, activityState: 'asking' }, queueHead: head },
      { do: 'wait' },
    ],
    [
      'is not ended while it owes a report',
      { agent: STALE_AGENT, pendingNotices: 1, unreported: owing },
      { do: 'startNotices' },
    ],
    [
      "is not ended while a person's line is unfinished",
      { agent: { ...STALE_AGENT, dirtySince: NOW }, queueHead: head },
      { do: 'wait', blocked: 'a person is typing in the terminal', wakeAt: NOW + UNFINISHED_LINE_MS },
    ],
    [
      'is ended despite that if a person requests it',
      { agent: { ...STALE_AGENT, dirtySince: NOW }, queueHead: { ...head, sendNow: true } },
      { do: 'endAgent' },
    ],
    [
      'is not ended while its activity is unknown',
      { agent: { ...STALE_AGENT, activityState: 'unknown', lastOutputAt: NOW - UNKNOWN_SILENT_MS }, queueHead: head },
      { do: 'wait', blocked: 'it is unknown whether the agent is idle' },
    ],
  ],
  'a task that waits for the quota of its agent': [
    [
      'waits until then, with everything else',
      { quota: { taskId: 'waits', until: NOW + 5_000 }, queueHead: head, pendingNotices: 1 },
      {
        do: 'wait',
        wakeAt: NOW + 5_000,
        blocked: 'the subscription of the agent allows no further use before 1970-01-01T00:16:45.000Z',
      },
    ],
    [
      'continues then',
      { quota: { taskId: 'waits', until: NOW }, queueHead: head },
      { do: 'continueTask', taskId: 'waits' },
    ],
    [
      'continues without an agent, which is started for it',
      { quota: { taskId: 'waits', until: NOW }, agent: null },
      { do: 'continueTask', taskId: 'waits' },
    ],
    [
      'is left alone while its agent works by itself',
      { quota: { taskId: 'waits', until: NOW }, agent: agent({ activityState: 'active' }) },
      { do: 'wait' },
    ],
    [
      'does not outlive a pause',
      { quota: { taskId: 'waits', until: NOW }, mark: 'paused', pausedBy: 'person' },
      { do: 'endAgent' },
    ],
  ],
  'a session without budget': [
    ['ends its agent', { mark: 'paused', pausedBy: 'budget' }, { do: 'endAgent' }],
    ['starts no task', { mark: 'paused', pausedBy: 'budget', queueHead: head }, { do: 'wait' }],
    ['starts no agent', { mark: 'paused', pausedBy: 'budget', turnTaskId: 'turn', agent: null }, { do: 'wait' }],
    [
      'does not type a prompt',
      { mark: 'paused', pausedBy: 'budget', turnTaskId: 'turn', input: typing({}) },
      { do: 'wait' },
    ],
    [
      'sends what was typed',
      { mark: 'paused', pausedBy: 'budget', turnTaskId: 'turn', input: typing({ state: 'submitting' }) },
      { do: 'submit', inputId: 'i' },
    ],
    [
      'reminds of no report',
      { mark: 'paused', pausedBy: 'budget', unreported: { ...owing, quietSince: NOW - REMINDER_MS } },
      { do: 'wait' },
    ],
    ['delivers no notices', { mark: 'paused', pausedBy: 'budget', pendingNotices: 1, agent: null }, { do: 'wait' }],
    [
      'lets a turn end',
      { mark: 'paused', pausedBy: 'budget', agent: agent({ activityState: 'active' }) },
      { do: 'wait' },
    ],
  ],
  'a task that owes a report': [
    ['is timed from the moment the agent is idle', { unreported: owing }, { do: 'markQuiet', taskId: 'owes' }],
    [
      'waits for the reminder',
      { unreported: { ...owing, quietSince: NOW } },
      { do: 'wait', wakeAt: NOW + REMINDER_MS },
    ],
    ['is reminded', { unreported: { ...owing, quietSince: NOW - REMINDER_MS } }, { do: 'remind', taskId: 'owes' }],
    [
      'is not timed while its delegated tasks are open',
      { unreported: { ...owing, quietSince: NOW - 1 }, delegatedTasks: 1 },
      { do: 'clearQuiet', taskId: 'owes' },
    ],
    [
      'is not timed while its agent works',
      { unreported: { ...owing, quietSince: NOW - 1 }, agent: agent({ activityState: 'active' }) },
      { do: 'clearQuiet', taskId: 'owes' },
    ],
    [
      'ends without a report when its source prompts again',
      { unreported: owing, queueHead: { ...head, fromPerson: false, source: 'parent' } },
      { do: 'closeUnreported', taskId: 'owes' },
    ],
    [
      'ends without a report when a person prompts',
      { unreported: owing, queueHead: head },
      { do: 'closeUnreported', taskId: 'owes' },
    ],
    [
      'blocks prompts of others',
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
