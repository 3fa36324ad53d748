import { expect, it } from 'vitest';
import { connectionOf, NEW_CONNECTION, type ProtocolState } from '../../src/domain/protocol.ts';

it('missing fields are added to the connection state that an earlier build stored', () => {
  const { choices: _, requests: _requests, ...earlier } = NEW_CONNECTION;
  const stored = (phase: ProtocolState['phase']) => connectionOf({ protocol: { ...earlier, phase } as ProtocolState });
  expect(stored('opening')).toEqual({ ...NEW_CONNECTION, phase: 'opening' });
  // An earlier build stored the phase `choosing` without `choices`. Without choices, there is nothing to wait for, so
  // the phase becomes `ready`.
  expect(stored('choosing')).toEqual({ ...NEW_CONNECTION, phase: 'ready' });
});
