import { PermissionMode } from '@agent-console/shared/models/session';
import { describe, expect, it } from 'vitest';
import { APPLIES, modeOptions } from '../../src/features/sessions/inspector/permission-modes.ts';

const agent = (effective: Partial<Record<PermissionMode, PermissionMode>>) => ({
  modes: PermissionMode.options.map((requested) => ({
    requested,
    effective: effective[requested] ?? requested,
    note: null,
  })),
});

describe('the menu of permission modes', () => {
  it('offers all eight, with the effective mode of unsupported ones', () => {
    const options = modeOptions(agent({ ask: 'default', auto: 'acceptEdits' }), 'default');
    expect(options.map(({ value }) => value)).toEqual(PermissionMode.options);
    expect(options.find(({ value }) => value === 'ask')?.note).toBe('the agent uses Default instead');
    expect(options.find(({ value }) => value === 'default')?.note).toBeUndefined();
  });

  it('omits plan if the agent does not support it, unless it is selected', () => {
    const values = (chosen: PermissionMode) => modeOptions(agent({ plan: 'ask' }), chosen).map(({ value }) => value);
    expect(values('auto')).not.toContain('plan');
    expect(values('plan')).toContain('plan');
  });
});

it('a pending mode is explained', () => {
  expect(APPLIES.now).toBeNull();
  expect(APPLIES.nextTask).toContain('next task');
  expect(APPLIES.nextStart).toContain('next start');
});
