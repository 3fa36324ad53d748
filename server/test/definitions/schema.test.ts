import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { templates } from '../../src/definitions/templates.ts';
import { changed, EXAMPLE } from './example.ts';

const published = new URL('../../../docs/reference/orchestration.schema.json', import.meta.url);
const isValid = new Ajv2020().compile(JSON.parse(readFileSync(published, 'utf8')));

describe('the schema for editors', () => {
  it.each([['the example', EXAMPLE], ...templates().map(({ name, text }) => [name, text])])('accepts %s', (_, text) => {
    isValid(parse(text));
    expect(isValid.errors).toBeNull();
  });

  it.each([
    ['an unknown field', 'strategy:', 'stratgy:'],
    ['an unknown value', 'adaptive', 'eventual'],
    ['a missing field', 'objective: About ${{ topic }}\n', ''],
    ['a wrong type', 'type: number', 'type: int'],
    ['a placeholder in a name', 'name: example', 'name: ${{ topic }}'],
  ])('refuses %s', (_, from, to) => {
    expect(isValid(parse(changed(from, to)))).toBe(false);
  });
});
