import { expect, it } from 'vitest';
import { connectionOf, NEW_CONNECTION, type ProtocolState } from '../../src/domain/protocol.ts';

it('the state of a connection that an earlier build stored gets the fields that it lacks', () => {
  const { choices: _, requests: _requests, ...earlier } = NEW_CONNECTION;
  const stored = (phase: ProtocolState['phase']) => connectionOf({ protocol: { ...earlier, phase } as ProtocolState });
  expect(stored('opening')).toEqual({ ...NEW_CONNECTION, phase: 'opening' });
  // An earlier build waited for the answer to one choice, which it did not name.
  expect(stored('choosing')).toEqual({ ...NEW_CONNECTION, phase: 'ready' });
});
