import { PermissionMode } from '@agent-console/shared/models/session';
import { describe, expect, it } from 'vitest';
import { describeApplies, modeOptions } from '../../src/features/sessions/inspector/permission-modes.ts';

const agent = (effective: Partial<Record<PermissionMode, PermissionMode>>) => ({
  modes: PermissionMode.options.map((requested) => ({
    requested,
    effective: effective[requested] ?? requested,
    note: null,
  })),
});

describe('the menu of permission modes', () => {
  it('offers all eight, and says what becomes of those that the agent does not know', () => {
    const options = modeOptions(agent({ ask: 'default', auto: 'acceptEdits' }), 'default');
    expect(options.map(({ value }) => value)).toEqual(PermissionMode.options);
    expect(options.find(({ value }) => value === 'ask')?.note).toBe('here as default');
    expect(options.find(({ value }) => value === 'default')?.note).toBeUndefined();
  });

  it('leaves plan out where the agent has none, unless it is what was chosen', () => {
    const values = (chosen: PermissionMode) => modeOptions(agent({ plan: 'ask' }), chosen).map(({ value }) => value);
    expect(values('auto')).not.toContain('plan');
    expect(values('plan')).toContain('plan');
  });
});

it('what the running agent does not have yet is said', () => {
  expect(describeApplies('now')).toBeNull();
  expect(describeApplies('nextTask')).toContain('next task');
  expect(describeApplies('nextStart')).toContain('next start');
});
