import { expect, it } from 'vitest';
import { copy } from '../../src/ui/copy.ts';
import { useToasts } from '../../src/ui/toasts.ts';

it('a text that could not be copied is named and shown', async () => {
  // There is no clipboard outside a browser.
  await copy('0192-ab', 'ID');
  const shown = useToasts.getState().toasts.find(({ id }) => id === 'copied');
  expect(shown).toMatchObject({ kind: 'failed', title: 'Could not copy ID', text: '0192-ab' });
});
