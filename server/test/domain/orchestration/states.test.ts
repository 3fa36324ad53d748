import { ConsoleError } from '@agent-console/shared/errors';
import {
  OrchestrationAgentState,
  OrchestrationState,
  type OrchestrationAgentState as State,
} from '@agent-console/shared/models/orchestration';
import { describe, expect, it } from 'vitest';
import {
  FINAL_AGENT_STATES,
  FINAL_STATES,
  mayAgentBecome,
  nextOrchestrationState,
  type OrchestrationCommand,
} from '../../../src/domain/orchestration/states.ts';

const COMMANDS: OrchestrationCommand[] = ['start', 'pause', 'resume', 'cancel', 'complete', 'fail'];

/**
 * The next state for each state (row) and command (column, in the order of `COMMANDS`). `-` means that the command is
 * refused with CONFLICT.
 */
const TABLE: Record<OrchestrationState, string> = {
  created: 'running   -      -       cancelled -         -',
  running: '-         paused -       cancelled completed failed',
  paused: ' -         paused running cancelled completed failed',
  completed: '-       -      -       -         -         -',
  failed: ' -         -      -       -         -         -',
  cancelled: '-       -      -       -         -         -',
};

describe('the state of an orchestration', () => {
  const cases = OrchestrationState.options.flatMap((state) =>
    COMMANDS.map((command, at) => ({ state, command, expected: TABLE[state].trim().split(/\s+/)[at] })),
  );
  it.each(cases)('$state after $command: $expected', ({ state, command, expected }) => {
    if (expected !== '-') return expect(nextOrchestrationState(state, command)).toBe(expected);
    expect(() => nextOrchestrationState(state, command)).toThrow(
      expect.objectContaining({ code: 'CONFLICT', details: expect.objectContaining({ state }) }),
    );
  });

  it('is named in the error, with the states in which the command is allowed', () => {
    const error = new ConsoleError(
      'CONFLICT',
      'This orchestration is completed. It can be cancelled only while it is created, running or paused.',
      { state: 'completed', allowedStates: ['created', 'running', 'paused'] },
    );
    expect(() => nextOrchestrationState('completed', 'cancel')).toThrow(error);
  });

  it('is final when no command is allowed', () => {
    const final = OrchestrationState.options.filter((state) => !/[a-z]/.test(TABLE[state]));
    expect(final).toEqual([...FINAL_STATES]);
  });
});

describe('the state of an agent', () => {
  const NEXT: Record<State, State[]> = {
    pending: ['running', 'failed', 'cancelled', 'skipped'],
    running: ['pending', 'paused', 'interrupted', 'completed', 'failed', 'cancelled'],
    paused: ['pending', 'running', 'interrupted', 'completed', 'failed', 'cancelled'],
    interrupted: ['pending', 'running', 'completed', 'failed', 'cancelled'],
    completed: [],
    failed: ['pending'],
    cancelled: ['pending'],
    skipped: ['pending'],
  };
  it.each(OrchestrationAgentState.options)('%s may only become the states of the table', (from) => {
    const allowed = OrchestrationAgentState.options.filter((to) => mayAgentBecome(from, to));
    expect(new Set(allowed)).toEqual(new Set(NEXT[from]));
  });

  it('is final if only a retry can change it', () => {
    const final = OrchestrationAgentState.options.filter((from) => NEXT[from].every((to) => to === 'pending'));
    expect(final).toEqual([...FINAL_AGENT_STATES]);
  });
});
