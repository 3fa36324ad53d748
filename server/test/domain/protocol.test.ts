import { expect, it } from 'vitest';
import { connectionOf, NEW_CONNECTION, type ProtocolState } from '../../src/domain/protocol.ts';

it('missing fields are added to the connection state that an earlier build stored', () => {
  const { choices: _, requests: _requests, ...earlier } = NEW_CONNECTION;
  const stored = (phase: ProtocolState['phase']) => connectionOf({ protocol: { ...earlier, phase } as ProtocolState });
  expect(stored('opening')).toEqual({ ...NEW_CONNECTION, phase: 'opening' });
  // The phase `choosing` of an earlier build waited for the answer to a choice without storing which choice.
  expect(stored('choosing')).toEqual({ ...NEW_CONNECTION, phase: 'ready' });
});
