import { expect, it } from 'vitest';
import { optionOf } from '../../../src/surfaces/acp/permissions.ts';

it.each([
  [{ label: 'Yes, always', kind: 'allow', effect: 'allow_always' }, 'allow_always'],
  [{ label: 'Never', kind: 'deny', effect: 'reject_always' }, 'reject_always'],
  [{ label: 'Immer erlauben', kind: 'allow', effect: 'allow_always' }, 'allow_always'],
  [{ label: 'Yes, all 3 files', kind: 'allow', effect: 'allow_once' }, 'allow_once'],
  [{ label: 'Yes, and do not ask again', kind: 'allow' }, 'allow_once'],
  [{ label: 'No, always ask', kind: 'deny' }, 'reject_once'],
  [{ label: 'Type something', kind: 'other' }, 'reject_once'],
] as const)('an editor gets the answer %j as %s', (option, kind) => {
  expect(optionOf({ id: 'o', ...option })).toEqual({ optionId: 'o', name: option.label, kind });
});
