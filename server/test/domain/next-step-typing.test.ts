import { ACP_CANCEL_MS } from '@agent-console/shared/limits/acp';
import { SCREEN_SETTLED_MS } from '@agent-console/shared/limits/activity';
import {
  ACCEPT_POLL_MS,
  ACCEPT_WITHIN_MS,
  COMMAND_IDLE_MS,
  ENTER_AGAIN_AFTER_MS,
  ENTERS_MAX,
  ENTERS_WITHIN_MS,
  FRESH_SETTLED_MS,
  LINE_POLL_MS,
  PASTE_DRAWN_WITHIN_MS,
  PASTE_SETTLE_MS,
  PASTE_SHOWN_WITHIN_MS,
  READY_SILENT_MS,
  READY_WITHIN_MS,
  SLOW_START_MS,
  UNFINISHED_LINE_MS,
  UNKNOWN_SILENT_MS,
} from '@agent-console/shared/limits/typing';
import { expect } from 'vitest';
import { agent, decides, head, input, NOW, typing } from './session-states.ts';

const drawn = { state: 'pasted', pastedAt: NOW - PASTE_SETTLE_MS } as const;
/** State in which the input line still contains the text, although Enter was pressed some time ago. */
const stuck = typing({
  state: 'submitted',
  submittedAt: NOW - ENTER_AGAIN_AFTER_MS,
  enterPresses: { count: 1, lastAt: NOW - ENTER_AGAIN_AFTER_MS, probedAt: null },
  line: 'text',
});
const probedAt = NOW - SCREEN_SETTLED_MS - 1;
const probed = typing({ ...stuck, enterPresses: { ...stuck.enterPresses, probedAt } });
/** State of a submitted command whose agent has been idle for so long that the command counts as done. */
const done = typing({ state: 'submitted', submittedAt: NOW - COMMAND_IDLE_MS, isCommand: true });
/** State after the agent was told to cancel the prompt. */
const cancelled = typing({ state: 'submitted', taskOpen: false, submittedAt: NOW - 1, cancelSentAt: NOW - 1 });
const rested = agent({ lastOutputAt: 0 });
const silent = agent({ lastOutputAt: NOW - READY_SILENT_MS });

decides({
  typing: [
    ['pastes to an idle agent', { input }, { do: 'paste', inputId: 'i' }],
    [
      'first starts an agent whose start was interrupted',
      { input, agent: agent({ state: 'starting' }) },
      { do: 'startAgent' },
    ],
    ['of an ended task is dropped', { input: typing({ taskOpen: false }) }, { do: 'drop', inputId: 'i' }],
    [
      'that was never acknowledged is dropped with its task',
      { input: typing({ state: 'uncertain', taskOpen: false }) },
      { do: 'drop', inputId: 'i' },
    ],
    [
      'is cleared when its task is cancelled',
      { input: typing({ state: 'clearing', taskOpen: false }) },
      { do: 'withdraw', inputId: 'i' },
    ],
    [
      'is cleared if its task ends while it is being pasted',
      { input: typing({ state: 'pasting', taskOpen: false }) },
      { do: 'withdraw', inputId: 'i' },
    ],
    [
      'is cleared instead of submitted if its task ends after the paste',
      { input: typing({ ...drawn, taskOpen: false }) },
      { do: 'withdraw', inputId: 'i' },
    ],
    [
      'is interrupted when its task is cancelled',
      { input: typing({ state: 'interrupting', taskOpen: false }) },
      { do: 'withdraw', inputId: 'i' },
    ],
    [
      'is not pasted while the agent asks',
      { input, agent: agent({ activityState: 'asking' }) },
      { do: 'wait', blocked: 'the agent is asking a question' },
    ],
    [
      'is not submitted while the agent asks',
      { input: typing({ state: 'pasted', pastedAt: 0 }), agent: agent({ activityState: 'asking' }) },
      { do: 'wait', blocked: 'the agent is asking a question' },
    ],
    [
      "waits for a person's unfinished line",
      { input, agent: agent({ dirtySince: NOW - 1 }) },
      { do: 'wait', blocked: 'a person is typing in the terminal', wakeAt: NOW - 1 + UNFINISHED_LINE_MS },
    ],
    [
      'treats an old unfinished line as abandoned',
      { input, agent: agent({ dirtySince: NOW - UNFINISHED_LINE_MS }) },
      { do: 'paste', inputId: 'i' },
    ],
    [
      'is typed at once if a person requests it',
      { input: typing({ sendNow: true }), agent: agent({ dirtySince: NOW - 1 }) },
      { do: 'paste', inputId: 'i' },
    ],
    [
      'waits for an agent of unknown activity to become silent',
      { input, agent: agent({ activityState: 'unknown', lastOutputAt: NOW }) },
      { do: 'wait', wakeAt: NOW + UNKNOWN_SILENT_MS },
    ],
    [
      'is blocked when the activity stays unknown',
      { input, agent: agent({ activityState: 'unknown', lastOutputAt: NOW - UNKNOWN_SILENT_MS }) },
      { do: 'wait', blocked: 'it is unknown whether the agent is idle' },
    ],
    [
      'waits for a starting agent',
      {
        input,
        agent: agent({ activityState: 'unknown', hasShownActivity: false, activitySince: NOW, lastOutputAt: NOW }),
      },
      { do: 'wait', wakeAt: NOW + SLOW_START_MS },
    ],
    [
      'is blocked visibly when the start takes long',
      {
        input,
        agent: agent({ activityState: 'unknown', hasShownActivity: false, activitySince: NOW - SLOW_START_MS }),
      },
      { do: 'wait', wakeAt: NOW + UNKNOWN_SILENT_MS, blocked: 'the agent is still starting' },
    ],
    [
      'is typed to a silent agent of unknown activity if its definition allows that',
      { input, agent: agent({ activityState: 'unknown', lastOutputAt: 0, queueWhenUnknown: 'send' }) },
      { do: 'paste', inputId: 'i' },
    ],
    [
      'is pasted again after an interrupted paste',
      { input: typing({ state: 'pasting' }) },
      { do: 'paste', inputId: 'i' },
    ],
    [
      'waits for the paste to settle',
      { input: typing({ state: 'pasted', pastedAt: NOW }) },
      { do: 'wait', wakeAt: NOW + PASTE_SETTLE_MS },
    ],
    [
      'is submitted after the paste has settled',
      { input: typing({ state: 'pasted', pastedAt: NOW - PASTE_SETTLE_MS }) },
      { do: 'submit', inputId: 'i' },
    ],
    [
      'is submitted after a paste from before a restart',
      { input: typing({ state: 'pasted' }) },
      { do: 'submit', inputId: 'i' },
    ],
    [
      'is submitted again after an interrupted Enter',
      { input: typing({ state: 'submitting' }) },
      { do: 'submit', inputId: 'i' },
    ],
    [
      'waits for the agent to accept it',
      { input: typing({ state: 'submitted', submittedAt: NOW }) },
      { do: 'wait', wakeAt: NOW + ACCEPT_WITHIN_MS },
    ],
    [
      'becomes uncertain after a while, and nothing is typed twice',
      { input: typing({ state: 'submitted', submittedAt: NOW - ACCEPT_WITHIN_MS }) },
      { do: 'markUncertain', inputId: 'i' },
    ],
    [
      'is blocked visibly while uncertain',
      { input: typing({ state: 'uncertain' }) },
      { do: 'wait', blocked: 'the agent has not acknowledged the prompt' },
    ],
  ],
  'a starting agent': [
    [
      'is not typed to before it has reported its start',
      { input, agent: agent({ hasReportedStart: false }) },
      { do: 'wait', wakeAt: NOW + LINE_POLL_MS },
    ],
    [
      'is not typed to before it shows its input line',
      { input: typing({ line: 'unseen' }) },
      { do: 'wait', wakeAt: NOW + LINE_POLL_MS },
    ],
    [
      'is not typed to while it still prints the resumed conversation',
      { input: typing({ line: 'other' }), agent: agent({ isFresh: true }) },
      { do: 'wait', wakeAt: NOW + FRESH_SETTLED_MS },
    ],
    [
      'is typed to when it has printed the resumed conversation',
      { input: typing({ line: 'other' }), agent: agent({ isFresh: true, lastOutputAt: NOW - FRESH_SETTLED_MS }) },
      { do: 'paste', inputId: 'i' },
    ],
    [
      'is typed to once it shows its input line',
      { input: typing({ line: 'other' }), agent: agent({ lastOutputAt: NOW - SCREEN_SETTLED_MS }) },
      { do: 'paste', inputId: 'i' },
    ],
    [
      'is not typed to while it still draws the end of a turn, which may become a question',
      { input: typing({ line: 'other' }), agent: agent({ lastOutputAt: NOW - 3 }) },
      { do: 'wait', wakeAt: NOW - 3 + SCREEN_SETTLED_MS },
    ],
    [
      'is typed to when it has been silent for long without an input line',
      { input: typing({ line: 'unseen' }), agent: silent },
      { do: 'paste', inputId: 'i' },
    ],
    [
      'is typed to when it has been silent for long without a report',
      { input, agent: agent({ ...silent, hasReportedStart: false }) },
      { do: 'paste', inputId: 'i' },
    ],
    [
      'is typed to eventually if it never becomes silent',
      { input: typing({ line: 'unseen', createdAt: NOW - READY_WITHIN_MS }) },
      { do: 'paste', inputId: 'i' },
    ],
    [
      'is not typed to while it restarts, however long its question lasted before',
      {
        input: typing({ line: 'unseen', createdAt: NOW - 10 * READY_WITHIN_MS }),
        agent: agent({ activitySince: NOW, hasReportedStart: false }),
      },
      { do: 'wait', wakeAt: NOW + LINE_POLL_MS },
    ],
    [
      'is typed to at once if a person requests it',
      { input: typing({ line: 'unseen', sendNow: true }), agent: agent({ hasReportedStart: false }) },
      { do: 'paste', inputId: 'i' },
    ],
  ],
  'an agent with a readable input line': [
    [
      'gets its Enter when the line contains the paste',
      { input: typing({ ...drawn, line: 'text' }), agent: agent({ lastOutputAt: NOW - PASTE_SETTLE_MS }) },
      { do: 'submit', inputId: 'i' },
    ],
    [
      'gets no Enter before that',
      { input: typing({ ...drawn, line: 'other' }), agent: agent({ lastOutputAt: NOW - PASTE_SETTLE_MS }) },
      { do: 'wait', wakeAt: NOW + LINE_POLL_MS },
    ],
    [
      'gets no Enter while it draws the paste',
      { input: typing({ ...drawn, line: 'text' }), agent: agent({ lastOutputAt: NOW - 1 }) },
      { do: 'wait', wakeAt: NOW - 1 + PASTE_SETTLE_MS },
    ],
    [
      'gets its Enter if it continues drawing for long',
      {
        input: typing({ ...drawn, pastedAt: NOW - PASTE_DRAWN_WITHIN_MS - PASTE_SETTLE_MS, line: 'text' }),
        agent: agent({ lastOutputAt: NOW - 1 }),
      },
      { do: 'submit', inputId: 'i' },
    ],
    [
      'gets its Enter while it draws the paste if a person requests it',
      { input: typing({ ...drawn, line: 'text', sendNow: true }), agent: agent({ lastOutputAt: NOW - 1 }) },
      { do: 'submit', inputId: 'i' },
    ],
    [
      'gets its Enter when it does not show the paste for long',
      { input: typing({ state: 'pasted', pastedAt: NOW - PASTE_SHOWN_WITHIN_MS, line: 'unseen' }) },
      { do: 'submit', inputId: 'i' },
    ],
    [
      'is read while it has not accepted its input',
      { input: typing({ ...stuck, line: 'other' }) },
      { do: 'wait', wakeAt: NOW + ACCEPT_POLL_MS },
    ],
    [
      'gets a space when the line still contains the text',
      { input: stuck, agent: silent },
      { do: 'probe', inputId: 'i' },
    ],
    [
      'gets no Enter before it has drawn the space: it may not have processed the previous Enter',
      { input: probed, agent: agent({ ...silent, lastOutputAt: probedAt - 1 }) },
      { do: 'wait', wakeAt: NOW + ACCEPT_POLL_MS },
    ],
    [
      'gets another Enter when it has drawn the space',
      { input: probed, agent: agent({ ...silent, lastOutputAt: probedAt + 1 }) },
      { do: 'pressEnterAgain', inputId: 'i' },
    ],
    [
      'has an uncertain input when it draws nothing for long',
      {
        input: typing({ ...probed, submittedAt: NOW - ACCEPT_WITHIN_MS - ENTERS_WITHIN_MS }),
        agent: agent({ ...silent, lastOutputAt: 0 }),
      },
      { do: 'markUncertain', inputId: 'i' },
    ],
    [
      'gets a space only a while after the previous Enter',
      { input: typing({ ...stuck, enterPresses: { count: 2, lastAt: NOW - 1, probedAt: null } }), agent: silent },
      { do: 'wait', wakeAt: NOW + ACCEPT_POLL_MS },
    ],
    [
      'gets the third Enter only after twice that time',
      {
        input: typing({ ...stuck, enterPresses: { count: 2, lastAt: NOW - ENTER_AGAIN_AFTER_MS, probedAt: null } }),
        agent: silent,
      },
      { do: 'wait', wakeAt: NOW + ACCEPT_POLL_MS },
    ],
    [
      'has no uncertain input while the line contains the text and may get another Enter',
      {
        input: typing({
          ...stuck,
          submittedAt: NOW - ACCEPT_WITHIN_MS,
          enterPresses: { count: 5, lastAt: NOW - 1, probedAt: null },
        }),
        agent: silent,
      },
      { do: 'wait', wakeAt: NOW + ACCEPT_POLL_MS },
    ],
    [
      'has an uncertain input after several presses without effect',
      {
        input: typing({
          ...stuck,
          submittedAt: NOW - ACCEPT_WITHIN_MS,
          enterPresses: { count: ENTERS_MAX, lastAt: 0, probedAt: null },
        }),
        agent: silent,
      },
      { do: 'markUncertain', inputId: 'i' },
    ],
    [
      'gets no more than the maximum number of presses',
      { input: typing({ ...stuck, enterPresses: { count: ENTERS_MAX, lastAt: 0, probedAt: null } }), agent: silent },
      { do: 'wait', wakeAt: NOW + ACCEPT_POLL_MS },
    ],
    ['gets no Enter while its screen changes', { input: stuck }, { do: 'wait', wakeAt: NOW + ACCEPT_POLL_MS }],
    [
      'gets no Enter while it asks',
      { input: stuck, agent: agent({ ...silent, activityState: 'asking' }) },
      { do: 'wait', wakeAt: NOW + ACCEPT_POLL_MS },
    ],
    [
      'gets no Enter while it works',
      { input: stuck, agent: agent({ ...silent, activityState: 'active' }) },
      { do: 'wait', wakeAt: NOW + ACCEPT_POLL_MS },
    ],
    [
      'gets no Enter after text typed by a person',
      { input: stuck, agent: agent({ ...silent, dirtySince: NOW - 1 }) },
      { do: 'wait', wakeAt: NOW + ACCEPT_POLL_MS },
    ],
    [
      'gets no Enter for an ended task',
      { input: typing({ ...stuck, taskOpen: false }), agent: silent },
      { do: 'wait', wakeAt: NOW - ENTER_AGAIN_AFTER_MS + ACCEPT_WITHIN_MS },
    ],
    [
      'has accepted an input that its transcript contains with an answer',
      { input: typing({ ...stuck, line: 'other', recordedEnd: 'answered' }) },
      { do: 'acceptRecordedEnd', inputId: 'i' },
    ],
  ],
  "a turn known only from the agent's transcript": [
    [
      'ends its input when it failed',
      { input: typing({ state: 'submitted', submittedAt: NOW, recordedEnd: 'failed' }) },
      { do: 'acceptRecordedEnd', inputId: 'i' },
    ],
    [
      'ends its input when it was interrupted',
      { input: typing({ state: 'submitted', submittedAt: NOW, recordedEnd: 'interrupted', taskOpen: false }) },
      { do: 'acceptRecordedEnd', inputId: 'i' },
    ],
    [
      'ends an uncertain input',
      { input: typing({ state: 'uncertain', submittedAt: 0, recordedEnd: 'answered' }) },
      { do: 'acceptRecordedEnd', inputId: 'i' },
    ],
  ],
  'a command to the agent itself': [
    [
      'is awaited while the agent has been idle for less than some seconds',
      {
        input: typing({ state: 'submitted', submittedAt: NOW - 1, isCommand: true }),
        agent: agent({ lastOutputAt: 0 }),
      },
      { do: 'wait', wakeAt: NOW - 1 + COMMAND_IDLE_MS },
    ],
    [
      'is awaited while the agent prints',
      { input: typing({ state: 'submitted', submittedAt: NOW - COMMAND_IDLE_MS, isCommand: true }) },
      { do: 'wait', wakeAt: NOW + COMMAND_IDLE_MS },
    ],
    [
      'ends with its task when the agent has been idle',
      { input: done, agent: rested },
      { do: 'completeCommand', inputId: 'i' },
    ],
    [
      'ends after a long time if the agent always prints',
      { input: typing({ ...done, submittedAt: NOW - ACCEPT_WITHIN_MS - COMMAND_IDLE_MS }) },
      { do: 'completeCommand', inputId: 'i' },
    ],
    [
      'is recognized by the transcript too, also when uncertain',
      { input: typing({ ...done, state: 'uncertain', recordedEnd: 'command' }), agent: rested },
      { do: 'completeCommand', inputId: 'i' },
    ],
    [
      'of a cancelled task is dropped at the same time',
      { input: typing({ ...done, taskOpen: false }), agent: rested },
      { do: 'drop', inputId: 'i' },
    ],
    [
      'does not end while the agent works',
      { input: done, agent: agent({ lastOutputAt: 0, activityState: 'active' }) },
      { do: 'wait', wakeAt: NOW - COMMAND_IDLE_MS + ACCEPT_WITHIN_MS },
    ],
    [
      'does not end while the agent asks',
      { input: done, agent: agent({ lastOutputAt: 0, activityState: 'asking' }) },
      { do: 'wait', wakeAt: NOW - COMMAND_IDLE_MS + ACCEPT_WITHIN_MS },
    ],
    [
      'does not end while the line contains it',
      { input: typing({ ...done, line: 'text' }), agent: rested },
      { do: 'probe', inputId: 'i' },
    ],
    [
      'is the only input that ends this way',
      { input: typing({ ...done, isCommand: false }), agent: rested },
      { do: 'wait', wakeAt: NOW - COMMAND_IDLE_MS + ACCEPT_WITHIN_MS },
    ],
    [
      'has its menu closed before the next input',
      { input: typing({ isLineCovered: true, line: 'unseen' }) },
      { do: 'closeMenu', inputId: 'i' },
    ],
    [
      'has its menu closed only when the agent may be typed to',
      { input: typing({ isLineCovered: true, line: 'unseen' }), agent: agent({ dirtySince: NOW - 1 }) },
      { do: 'wait', blocked: 'a person is typing in the terminal', wakeAt: NOW - 1 + UNFINISHED_LINE_MS },
    ],
  ],
  'a cancelled input of an agent with a protocol': [
    [
      'is waited for at first',
      { input: cancelled, agent: agent({ hasProtocol: true, activityState: 'active' }) },
      { do: 'wait', wakeAt: NOW - 1 + ACP_CANCEL_MS },
    ],
    [
      'blocks the queue if the agent does not end its turn',
      { input: cancelled, agent: agent({ hasProtocol: true }), queueHead: head, now: NOW + ACP_CANCEL_MS },
      { do: 'wait', blocked: expect.stringContaining('does not stop') },
    ],
    [
      'is ended with its agent if a person sends the next prompt at once',
      {
        input: cancelled,
        agent: agent({ hasProtocol: true }),
        queueHead: { ...head, sendNow: true },
        now: NOW + ACP_CANCEL_MS,
      },
      { do: 'replaceAgent' },
    ],
    [
      'that was not cancelled may take any time',
      {
        input: typing({ ...cancelled, cancelSentAt: null }),
        agent: agent({ hasProtocol: true }),
        now: NOW + ACP_CANCEL_MS,
      },
      { do: 'wait' },
    ],
  ],
});
