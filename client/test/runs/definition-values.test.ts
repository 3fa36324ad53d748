import type { DefinitionParameter } from '@agent-console/shared/models/orchestration-definition';
import { expect, it } from 'vitest';
import { defaultsOf, isMissing, labelOfParameter, valuesOf } from '../../src/features/runs/definition-values.ts';

function parameter(name: string, part: Partial<DefinitionParameter> = {}): DefinitionParameter {
  return {
    name,
    type: 'string',
    description: '',
    required: false,
    default: null,
    choices: null,
    min: null,
    max: null,
    ...part,
  };
}

const PARAMETERS = [
  parameter('objective', { required: true }),
  parameter('reviewers', { type: 'number', default: 3 }),
  parameter('files', { type: 'list', default: ['a.ts', 'b.ts'] }),
  parameter('strict', { type: 'boolean', default: false }),
];

it('shows the defaults of a definition as text', () => {
  const defaults = { objective: '', reviewers: '3', files: 'a.ts\nb.ts', strict: 'false' };
  expect(defaultsOf({ parameters: PARAMETERS })).toEqual(defaults);
});

it('passes lists as items, everything else as text, and nothing that is empty', () => {
  const entered = { objective: 'Review it', reviewers: '', files: 'a.ts\n\n c.ts\n', strict: 'true' };
  expect(valuesOf(PARAMETERS, entered)).toEqual({ objective: 'Review it', files: ['a.ts', ' c.ts'], strict: 'true' });
});

it('knows which required values are missing', () => {
  expect(PARAMETERS.filter((each) => isMissing(each, { objective: ' ' })).map(({ name }) => name)).toEqual([
    'objective',
  ]);
});

it.each([
  ['task', 'Task'],
  ['itemAgent', 'Item agent'],
  ['api_version-2', 'Api version 2'],
])('labels the parameter %s', (name, label) => {
  expect(labelOfParameter(name)).toBe(label);
});
