import type { FormField } from '@agent-console/shared/models/approval';
import { expect, it } from 'vitest';
import { initialDraft, valueProblems, valuesOf } from '../../src/features/approvals/form-values.ts';

const field = (id: string, type: FormField['type'], initial: FormField['default'] = null): FormField => ({
  id,
  type,
  title: id,
  description: null,
  required: false,
  secret: false,
  default: initial,
  choices: [],
  min: null,
  max: null,
  format: null,
  pattern: null,
});

it('sends what was entered in its type, and leaves out empty fields', () => {
  const fields = [
    field('name', 'text', 'x'),
    field('empty', 'text'),
    field('count', 'integer', 3),
    field('odd', 'number'),
    field('force', 'boolean'),
    field('parts', 'choices', ['a']),
  ];
  const draft = initialDraft(fields);
  expect(draft).toEqual({ name: 'x', empty: '', count: '3', odd: '', force: false, parts: ['a'] });
  const sent = { name: 'x', count: 3, odd: 'many', force: false, parts: ['a'] };
  expect(valuesOf(fields, { ...draft, odd: 'many' })).toEqual(sent);
});

it('shows each message at its field', () => {
  const issues = [
    { path: 'values.a.b', message: 'enter a value' },
    { path: 'optionId', message: 'is required' },
  ];
  expect(valueProblems({ message: 'refused', details: { issues } })).toEqual({ 'a.b': 'enter a value' });
  expect(valueProblems({ message: 'refused' })).toEqual({});
});
