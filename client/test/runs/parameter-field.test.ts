import type { DefinitionParameter } from '@agent-console/shared/models/orchestration-definition';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { ParameterField } from '../../src/features/runs/ParameterField.tsx';

const LIST: DefinitionParameter = {
  name: 'files',
  type: 'list',
  description: '',
  required: true,
  default: null,
  choices: null,
  min: null,
  max: null,
};

it.each([
  ['', 'Files One value per line.'],
  ['Files to check', 'Files One value per line. Files to check'],
  ['Files to check.', 'Files One value per line. Files to check.'],
])('the description "%s" of a list is shown with how to enter the values', (description, text) => {
  const props = { parameter: { ...LIST, description }, value: '', isMissing: false, onChange: () => {} };
  const html = renderToStaticMarkup(createElement(ParameterField, props));
  expect(
    html
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  ).toBe(text);
});
