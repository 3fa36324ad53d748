import { SCREEN_SETTLED_MS } from '@agent-console/shared/limits/signs';
import {
  ACCEPT_LOOK_MS,
  ACCEPT_WITHIN_MS,
  COMMAND_RESTS_MS,
  DIRTY_LINE_MS,
  ENTER_AGAIN_AFTER_MS,
  ENTERS_MAX,
  ENTERS_WITHIN_MS,
  FRESH_SETTLED_MS,
  LINE_LOOK_MS,
  PASTE_DRAWN_WITHIN_MS,
  PASTE_SETTLE_MS,
  PASTE_SHOWN_WITHIN_MS,
  READY_SILENT_MS,
  READY_WITHIN_MS,
  SLOW_START_MS,
  UNKNOWN_SILENT_MS,
} from '@agent-console/shared/limits/typing';
import { agent, decides, input, NOW, typing } from './session-states.ts';

const drawn = { state: 'pasted', pastedAt: NOW - PASTE_SETTLE_MS } as const;
/** An Enter that was pressed long enough ago, and still its text stands in the line. */
const stuck = typing({
  state: 'submitted',
  submittedAt: NOW - ENTER_AGAIN_AFTER_MS,
  enterPresses: { count: 1, lastAt: NOW - ENTER_AGAIN_AFTER_MS, probedAt: null },
  line: 'text',
});
const probedAt = NOW - SCREEN_SETTLED_MS - 1;
const probed = typing({ ...stuck, enterPresses: { ...stuck.enterPresses, probedAt } });
/** A command behind which the agent has rested for long enough. */
const done = typing({ state: 'submitted', submittedAt: NOW - COMMAND_RESTS_MS, isCommand: true });
const rested = agent({ lastOutputAt: 0 });
const silent = agent({ lastOutputAt: NOW - READY_SILENT_MS });

decides({
  typing: [
    ['pastes to an idle agent', { input }, { do: 'paste', inputId: 'i' }],
    ['is preceded by a start that was cut off', { input, agent: agent({ state: 'starting' }) }, { do: 'startAgent' }],
    ['of a task that has ended is dropped', { input: typing({ taskOpen: false }) }, { do: 'drop', inputId: 'i' }],
    [
      'that nobody acknowledged is dropped with its task',
      { input: typing({ state: 'uncertain', taskOpen: false }) },
      { do: 'drop', inputId: 'i' },
    ],
    [
      'is taken back when its task is cancelled',
      { input: typing({ state: 'clearing', taskOpen: false }) },
      { do: 'withdraw', inputId: 'i' },
    ],
    [
      'is interrupted when its task is cancelled',
      { input: typing({ state: 'interrupting', taskOpen: false }) },
      { do: 'withdraw', inputId: 'i' },
    ],
    [
      'never types while the agent asks',
      { input, agent: agent({ activityState: 'asking' }) },
      { do: 'wait', blocked: 'the agent is asking' },
    ],
    [
      'never presses Enter while the agent asks',
      { input: typing({ state: 'pasted', pastedAt: 0 }), agent: agent({ activityState: 'asking' }) },
      { do: 'wait', blocked: 'the agent is asking' },
    ],
    [
      'leaves a person their unfinished line',
      { input, agent: agent({ dirtySince: NOW - 1 }) },
      { do: 'wait', blocked: 'waiting for the keyboard', wakeAt: NOW - 1 + DIRTY_LINE_MS },
    ],
    [
      'takes a line that was left for long as abandoned',
      { input, agent: agent({ dirtySince: NOW - DIRTY_LINE_MS }) },
      { do: 'paste', inputId: 'i' },
    ],
    [
      'types at once when a person says so',
      { input: typing({ sendNow: true }), agent: agent({ dirtySince: NOW - 1 }) },
      { do: 'paste', inputId: 'i' },
    ],
    [
      'waits for an agent of unknown activity to fall silent',
      { input, agent: agent({ activityState: 'unknown', lastOutputAt: NOW }) },
      { do: 'wait', wakeAt: NOW + UNKNOWN_SILENT_MS },
    ],
    [
      'says so when it stays unknown and silent',
      { input, agent: agent({ activityState: 'unknown', lastOutputAt: NOW - UNKNOWN_SILENT_MS }) },
      { do: 'wait', blocked: 'activity unknown' },
    ],
    [
      'waits for one that starts',
      {
        input,
        agent: agent({ activityState: 'unknown', hasShownActivity: false, activitySince: NOW, lastOutputAt: NOW }),
      },
      { do: 'wait', wakeAt: NOW + SLOW_START_MS },
    ],
    [
      'says so when its start takes long',
      {
        input,
        agent: agent({ activityState: 'unknown', hasShownActivity: false, activitySince: NOW - SLOW_START_MS }),
      },
      { do: 'wait', wakeAt: NOW + UNKNOWN_SILENT_MS, blocked: 'the agent is still starting' },
    ],
    [
      'types to a silent unknown one whose definition says send',
      { input, agent: agent({ activityState: 'unknown', lastOutputAt: 0, queueWhenUnknown: 'send' }) },
      { do: 'paste', inputId: 'i' },
    ],
    [
      'repeats a paste that may have been cut off',
      { input: typing({ state: 'pasting' }) },
      { do: 'paste', inputId: 'i' },
    ],
    [
      'lets a paste settle',
      { input: typing({ state: 'pasted', pastedAt: NOW }) },
      { do: 'wait', wakeAt: NOW + PASTE_SETTLE_MS },
    ],
    [
      'presses Enter behind a settled paste',
      { input: typing({ state: 'pasted', pastedAt: NOW - PASTE_SETTLE_MS }) },
      { do: 'submit', inputId: 'i' },
    ],
    [
      'presses Enter behind a paste from before a restart',
      { input: typing({ state: 'pasted' }) },
      { do: 'submit', inputId: 'i' },
    ],
    [
      'repeats an Enter that may have been cut off',
      { input: typing({ state: 'submitting' }) },
      { do: 'submit', inputId: 'i' },
    ],
    [
      'waits for the agent to take it',
      { input: typing({ state: 'submitted', submittedAt: NOW }) },
      { do: 'wait', wakeAt: NOW + ACCEPT_WITHIN_MS },
    ],
    [
      'gives up waiting, and types nothing twice',
      { input: typing({ state: 'submitted', submittedAt: NOW - ACCEPT_WITHIN_MS }) },
      { do: 'markUncertain', inputId: 'i' },
    ],
    [
      'shows an uncertain one',
      { input: typing({ state: 'uncertain' }) },
      { do: 'wait', blocked: 'the agent has not acknowledged the prompt' },
    ],
  ],
  'an agent that starts': [
    [
      'is not typed to before it reported its start',
      { input, agent: agent({ hasReportedStart: false }) },
      { do: 'wait', wakeAt: NOW + LINE_LOOK_MS },
    ],
    [
      'is not typed to before it shows its line',
      { input: typing({ line: 'unseen' }) },
      { do: 'wait', wakeAt: NOW + LINE_LOOK_MS },
    ],
    [
      'is not typed to while it still prints what it takes up',
      { input: typing({ line: 'other' }), agent: agent({ isFresh: true }) },
      { do: 'wait', wakeAt: NOW + FRESH_SETTLED_MS },
    ],
    [
      'is typed to when it has loaded what it takes up',
      { input: typing({ line: 'other' }), agent: agent({ isFresh: true, lastOutputAt: NOW - FRESH_SETTLED_MS }) },
      { do: 'paste', inputId: 'i' },
    ],
    [
      'is typed to once it shows its line',
      { input: typing({ line: 'other' }), agent: agent({ lastOutputAt: NOW - SCREEN_SETTLED_MS }) },
      { do: 'paste', inputId: 'i' },
    ],
    [
      'is not typed to while it still draws the end of a turn, which may become a question',
      { input: typing({ line: 'other' }), agent: agent({ lastOutputAt: NOW - 3 }) },
      { do: 'wait', wakeAt: NOW - 3 + SCREEN_SETTLED_MS },
    ],
    [
      'is typed to when it has been silent for long and shows no line',
      { input: typing({ line: 'unseen' }), agent: silent },
      { do: 'paste', inputId: 'i' },
    ],
    [
      'is typed to when it has been silent for long and does not report',
      { input, agent: agent({ ...silent, hasReportedStart: false }) },
      { do: 'paste', inputId: 'i' },
    ],
    [
      'is typed to after all when it never falls silent',
      { input: typing({ line: 'unseen', createdAt: NOW - READY_WITHIN_MS }) },
      { do: 'paste', inputId: 'i' },
    ],
    [
      'is not typed to while it starts anew, however long its question before that stood',
      {
        input: typing({ line: 'unseen', createdAt: NOW - 10 * READY_WITHIN_MS }),
        agent: agent({ activitySince: NOW, hasReportedStart: false }),
      },
      { do: 'wait', wakeAt: NOW + LINE_LOOK_MS },
    ],
    [
      'is typed to at once when a person says so',
      { input: typing({ line: 'unseen', sendNow: true }), agent: agent({ hasReportedStart: false }) },
      { do: 'paste', inputId: 'i' },
    ],
  ],
  'an agent whose line can be read': [
    [
      'gets its Enter when the paste stands there',
      { input: typing({ ...drawn, line: 'text' }), agent: agent({ lastOutputAt: NOW - PASTE_SETTLE_MS }) },
      { do: 'submit', inputId: 'i' },
    ],
    [
      'gets no Enter before',
      { input: typing({ ...drawn, line: 'other' }), agent: agent({ lastOutputAt: NOW - PASTE_SETTLE_MS }) },
      { do: 'wait', wakeAt: NOW + LINE_LOOK_MS },
    ],
    [
      'gets no Enter while it draws the paste',
      { input: typing({ ...drawn, line: 'text' }), agent: agent({ lastOutputAt: NOW - 1 }) },
      { do: 'wait', wakeAt: NOW - 1 + PASTE_SETTLE_MS },
    ],
    [
      'gets its Enter although it goes on drawing for long',
      {
        input: typing({ ...drawn, pastedAt: NOW - PASTE_DRAWN_WITHIN_MS - PASTE_SETTLE_MS, line: 'text' }),
        agent: agent({ lastOutputAt: NOW - 1 }),
      },
      { do: 'submit', inputId: 'i' },
    ],
    [
      'gets its Enter while it draws the paste when a person says so',
      { input: typing({ ...drawn, line: 'text', sendNow: true }), agent: agent({ lastOutputAt: NOW - 1 }) },
      { do: 'submit', inputId: 'i' },
    ],
    [
      'gets its Enter when it does not show the paste for long',
      { input: typing({ state: 'pasted', pastedAt: NOW - PASTE_SHOWN_WITHIN_MS, line: 'unseen' }) },
      { do: 'submit', inputId: 'i' },
    ],
    [
      'is looked at while it has not taken its input',
      { input: typing({ ...stuck, line: 'other' }) },
      { do: 'wait', wakeAt: NOW + ACCEPT_LOOK_MS },
    ],
    ['gets a blank when the text still stands there', { input: stuck, agent: silent }, { do: 'probe', inputId: 'i' }],
    [
      'gets no Enter while it has not drawn the blank: it may not have got to the Enter before',
      { input: probed, agent: agent({ ...silent, lastOutputAt: probedAt - 1 }) },
      { do: 'wait', wakeAt: NOW + ACCEPT_LOOK_MS },
    ],
    [
      'gets another Enter when it has drawn the blank',
      { input: probed, agent: agent({ ...silent, lastOutputAt: probedAt + 1 }) },
      { do: 'pressEnterAgain', inputId: 'i' },
    ],
    [
      'is given up when it draws nothing for long',
      {
        input: typing({ ...probed, submittedAt: NOW - ACCEPT_WITHIN_MS - ENTERS_WITHIN_MS }),
        agent: agent({ ...silent, lastOutputAt: 0 }),
      },
      { do: 'markUncertain', inputId: 'i' },
    ],
    [
      'gets it only a while after the one before',
      { input: typing({ ...stuck, enterPresses: { count: 2, lastAt: NOW - 1, probedAt: null } }), agent: silent },
      { do: 'wait', wakeAt: NOW + ACCEPT_LOOK_MS },
    ],
    [
      'gets the third only after twice that while',
      {
        input: typing({ ...stuck, enterPresses: { count: 2, lastAt: NOW - ENTER_AGAIN_AFTER_MS, probedAt: null } }),
        agent: silent,
      },
      { do: 'wait', wakeAt: NOW + ACCEPT_LOOK_MS },
    ],
    [
      'is not given up while the text stands there and may get another Enter',
      {
        input: typing({
          ...stuck,
          submittedAt: NOW - ACCEPT_WITHIN_MS,
          enterPresses: { count: 5, lastAt: NOW - 1, probedAt: null },
        }),
        agent: silent,
      },
      { do: 'wait', wakeAt: NOW + ACCEPT_LOOK_MS },
    ],
    [
      'is given up when a few were of no use',
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
      'gets no more than a few',
      { input: typing({ ...stuck, enterPresses: { count: ENTERS_MAX, lastAt: 0, probedAt: null } }), agent: silent },
      { do: 'wait', wakeAt: NOW + ACCEPT_LOOK_MS },
    ],
    ['gets none while its screen changes', { input: stuck }, { do: 'wait', wakeAt: NOW + ACCEPT_LOOK_MS }],
    [
      'gets none while it asks',
      { input: stuck, agent: agent({ ...silent, activityState: 'asking' }) },
      { do: 'wait', wakeAt: NOW + ACCEPT_LOOK_MS },
    ],
    [
      'gets none while it works',
      { input: stuck, agent: agent({ ...silent, activityState: 'active' }) },
      { do: 'wait', wakeAt: NOW + ACCEPT_LOOK_MS },
    ],
    [
      'gets none behind what a person typed',
      { input: stuck, agent: agent({ ...silent, dirtySince: NOW - 1 }) },
      { do: 'wait', wakeAt: NOW + ACCEPT_LOOK_MS },
    ],
    [
      'gets none for a task that has ended',
      { input: typing({ ...stuck, taskOpen: false }), agent: silent },
      { do: 'wait', wakeAt: NOW - ENTER_AGAIN_AFTER_MS + ACCEPT_WITHIN_MS },
    ],
    [
      'has taken an input that its conversation holds with its answer',
      { input: typing({ ...stuck, line: 'other', recordedEnd: 'answered' }) },
      { do: 'acceptRecordedEnd', inputId: 'i' },
    ],
  ],
  'a turn that only the record of the agent tells of': [
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
      'ends an input that was given up already',
      { input: typing({ state: 'uncertain', submittedAt: 0, recordedEnd: 'answered' }) },
      { do: 'acceptRecordedEnd', inputId: 'i' },
    ],
  ],
  'a command to the agent itself': [
    [
      'is waited for while the agent rests for less than some seconds',
      {
        input: typing({ state: 'submitted', submittedAt: NOW - 1, isCommand: true }),
        agent: agent({ lastOutputAt: 0 }),
      },
      { do: 'wait', wakeAt: NOW - 1 + COMMAND_RESTS_MS },
    ],
    [
      'is waited for while the agent prints',
      { input: typing({ state: 'submitted', submittedAt: NOW - COMMAND_RESTS_MS, isCommand: true }) },
      { do: 'wait', wakeAt: NOW + COMMAND_RESTS_MS },
    ],
    [
      'ends with its task when the agent has rested',
      { input: done, agent: rested },
      { do: 'completeCommand', inputId: 'i' },
    ],
    [
      'ends when an agent that always prints has rested for long',
      { input: typing({ ...done, submittedAt: NOW - ACCEPT_WITHIN_MS - COMMAND_RESTS_MS }) },
      { do: 'completeCommand', inputId: 'i' },
    ],
    [
      'is known by the record of the agent too, also when it was given up',
      { input: typing({ ...done, state: 'uncertain', recordedEnd: 'command' }), agent: rested },
      { do: 'completeCommand', inputId: 'i' },
    ],
    [
      'of a cancelled task is forgotten as soon',
      { input: typing({ ...done, taskOpen: false }), agent: rested },
      { do: 'drop', inputId: 'i' },
    ],
    [
      'does not end while the agent works',
      { input: done, agent: agent({ lastOutputAt: 0, activityState: 'active' }) },
      { do: 'wait', wakeAt: NOW - COMMAND_RESTS_MS + ACCEPT_WITHIN_MS },
    ],
    [
      'does not end while the agent asks',
      { input: done, agent: agent({ lastOutputAt: 0, activityState: 'asking' }) },
      { do: 'wait', wakeAt: NOW - COMMAND_RESTS_MS + ACCEPT_WITHIN_MS },
    ],
    [
      'does not end while it stands in the line',
      { input: typing({ ...done, line: 'text' }), agent: rested },
      { do: 'probe', inputId: 'i' },
    ],
    [
      'is the only input that ends so',
      { input: typing({ ...done, isCommand: false }), agent: rested },
      { do: 'wait', wakeAt: NOW - COMMAND_RESTS_MS + ACCEPT_WITHIN_MS },
    ],
    [
      'has what it opened over the line closed before the next input',
      { input: typing({ isLineCovered: true, line: 'unseen' }) },
      { do: 'closeMenu', inputId: 'i' },
    ],
    [
      'has it closed only when the agent may be typed to',
      { input: typing({ isLineCovered: true, line: 'unseen' }), agent: agent({ dirtySince: NOW - 1 }) },
      { do: 'wait', blocked: 'waiting for the keyboard', wakeAt: NOW - 1 + DIRTY_LINE_MS },
    ],
  ],
});
