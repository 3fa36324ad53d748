import { DefinitionFile } from '@agent-console/shared/definition-file';
import { AgentSpec, orchestrationFields } from '@agent-console/shared/operations/orchestrations';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { parseDefinition } from '../../src/definitions/definition.ts';
import { changed, EXAMPLE, errorOf } from './example.ts';

const RUNS = process.env.LONG ? 2_000 : 60;

const PARAMETERS = `
name: example
description: An example.
parameters:
  text: { type: string, description: d, max: 10 }
  count: { type: number, description: d, min: 1, max: 9.5 }
  flag: { type: boolean, description: d }
  side: { type: choice, description: d, choices: [left, right] }
  files: { type: list, description: d, min: 1, max: 2 }
  tags: { type: list, description: d, choices: [a, b] }
  must: { type: string, description: What it is., required: true }
objective: x
metadata: { text: '\${{ text }}', count: '\${{ count }}', flag: '\${{ flag }}', side: '\${{ side }}', files: '\${{ files }}', tags: '\${{ tags }}' }
agents: []
`;
const parsed = parseDefinition(PARAMETERS, 'example.yaml');

describe('a parameter', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    [
      'keeps its type if it is the whole value',
      { count: 3, flag: true, files: ['a'] },
      { count: 3, flag: true, files: ['a'] },
    ],
    ['may be typed as a text', { count: '3.5', flag: 'false', text: '7' }, { count: 3.5, flag: false, text: '7' }],
    ['of several texts may have one in each line', { files: 'a b\n\nc\r\n' }, { files: ['a b', 'c'] }],
    ['of several texts may be JSON', { files: ' ["a\\nb"]' }, { files: ['a\nb'] }],
    ['without a value leaves its field out', {}, {}],
    ['that is empty is a value', { text: '' }, { text: '' }],
    ['is never read as a placeholder', { text: '${{ side }}' }, { text: '${{ side }}' }],
  ])('%s', (_, values, metadata) => {
    // `max` limits the length of the text. The text with a placeholder is longer, so its case uses a definition without
    // `max`.
    const definition = JSON.stringify(values).includes('{{')
      ? parseDefinition(PARAMETERS.replace(', max: 10', ''), 'a.yaml')
      : parsed;
    expect(definition.expand({ must: 'x', ...values }).metadata).toEqual(metadata);
  });

  it.each<[Record<string, unknown>, string]>([
    [{}, 'parameters.must: is required: What it is.'],
    [{ must: null }, 'parameters.must: is required: What it is.'],
    [{ must: 'x', txt: 'a' }, 'parameters.txt: unknown parameter; nearest: text, must, tags'],
    [
      { must: 'x', __proto__: null, toString: 'a' },
      'parameters.toString: unknown parameter; nearest: count, must, side',
    ],
    [{ must: 1 }, 'parameters.must: must be a text'],
    [{ must: 'x', text: '12345678901' }, 'parameters.text: must have at most 10 characters'],
    [{ must: 'x', count: 0 }, 'parameters.count: must be at least 1'],
    [{ must: 'x', count: 'many' }, 'parameters.count: must be a number'],
    [{ must: 'x', count: '1e9' }, 'parameters.count: must be a number'],
    [{ must: 'x', flag: 'yes' }, 'parameters.flag: must be true or false'],
    [{ must: 'x', side: 'top' }, 'parameters.side: must be one of left, right'],
    [{ must: 'x', files: [] }, 'parameters.files: must have at least 1 items'],
    [{ must: 'x', files: [1] }, 'parameters.files: must be a list of texts'],
    [{ must: 'x', files: '[1' }, 'parameters.files: must be a list of texts'],
    [{ must: 'x', tags: ['a', 'c'] }, 'parameters.tags: each item must be one of a, b'],
  ])('%j is refused', (values, message) => {
    const error = errorOf(() => parsed.expand(values));
    expect([error.code, error.message]).toEqual(['VALIDATION', message]);
  });

  it('that makes the orchestration invalid is reported with the line and its name', () => {
    const definition = parseDefinition(changed('role: editor', 'role: ${{ topic }}'), 'a.yaml');
    expect(errorOf(() => definition.expand({ topic: 'the editor' })).message).toMatch(
      /^a\.yaml:19:11: agents\.1\.role: may only contain .* \(inserted parameters: topic\)$/,
    );
    const long = parseDefinition(changed('description: How many', 'description: How many'), 'a.yaml');
    expect(errorOf(() => long.expand({ topic: 'x'.repeat(100_000) })).message).toMatch(
      /^a\.yaml:13:12: objective: has 100006 bytes/,
    );
  });

  it('can be inserted only up to a limit', () => {
    const text = changed('Write about ${{ topic }}', `Write about ${'${{ topic }}'.repeat(500)}`);
    const error = errorOf(() => parseDefinition(text, 'a.yaml').expand({ topic: 'x'.repeat(90_000) }));
    expect(error.message).toBe(
      'a.yaml:18:11: with these parameters, the texts of the definition have more than 8000000 characters',
    );
  });

  it('never changes the structure of the definition', () => {
    const definition = parseDefinition(EXAMPLE, 'a.yaml');
    const shapeOf = (topic: string) =>
      JSON.stringify(definition.expand({ topic }), (_, value) =>
        typeof value === 'string' ? value.replaceAll(topic, '…') : value,
      );
    const expected = shapeOf('qqq');
    const nasty = fc.constantFrom(
      '\n',
      ': ',
      '- ',
      '"',
      "'",
      '${{ topic }}',
      '}}',
      '#',
      '&a',
      '*a',
      '|',
      '  role: x',
      '[',
      '{',
      '\t',
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(nasty, fc.string({ unit: 'grapheme' })), { minLength: 1, maxLength: 8 }),
        (parts) => {
          // The topic begins with `§`, which the example does not contain, so that the test can find the topic. The
          // topic contains no control characters, because every operation refuses them.
          const topic = `§${parts.join('').replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')}`;
          expect(shapeOf(topic)).toBe(expected);
        },
      ),
      { numRuns: RUNS },
    );
  });
});

describe('forEach', () => {
  const expand = (agents: string, parameters = '{}', values = {}) =>
    parseDefinition(
      `name: a\ndescription: d\nobjective: o\nstrategy: adaptive\nparameters: ${parameters}\nagents:\n${agents}`,
      'a.yaml',
    ).expand(values).agents;

  it('numbers agents from 1, and inserts item and index', () => {
    const agents = expand('  - { role: r, forEach: [x, 7], task: "${{ index }}. ${{ item }}" }');
    expect(agents.map(({ agentId, suffix, task }) => [agentId, suffix, task])).toEqual([
      ['r-1', '1', '1. x'],
      ['r-2', '2', '2. 7'],
    ]);
  });

  it('names agents by a suffix made of the item', () => {
    const agents = expand(
      '  - { role: r, suffix: "${{ item }}", forEach: [x, y], task: t }\n  - { role: s, dependencies: [r], task: t }',
    );
    expect(agents.map(({ agentId, dependencies }) => [agentId, dependencies])).toEqual([
      ['r-x', []],
      ['r-y', []],
      ['s', ['r-x', 'r-y']],
    ]);
  });

  it('of an empty list creates no agent, and dependencies on it are met', () => {
    expect(expand('  - { role: r, forEach: 0, task: t }\n  - { role: s, dependencies: [r], task: t }')).toMatchObject([
      { agentId: 's', dependencies: [] },
    ]);
  });

  it('lets an agent depend on the one with the same item', () => {
    const agents = expand(
      '  - { role: r, forEach: 2, task: t }\n  - { role: s, forEach: 2, dependencies: ["r-${{ index }}"], task: t }',
    );
    expect(agents.map(({ dependencies }) => dependencies)).toEqual([[], [], ['r-1'], ['r-2']]);
  });

  it('is not needed for several agents of one role', () => {
    const agents = expand(
      '  - { role: r, task: t }\n  - { role: r, task: t }\n  - { role: s, dependencies: [r, r-1], task: t }',
    );
    expect(agents.map(({ agentId, dependencies }) => [agentId, dependencies])).toEqual([
      ['r-1', []],
      ['r-2', []],
      ['s', ['r-1', 'r-2']],
    ]);
  });

  it('writes "${{" for "$${{"', () => {
    expect(expand('  - { role: r, task: "$${{ secrets.X }}" }')[0]?.task).toBe('${{ secrets.X }}');
  });
});

describe('a definition', () => {
  it('contains nothing that is executed', () => {
    const fields = [DefinitionFile.entries, AgentSpec.entries].flatMap((entries) => Object.keys(entries));
    expect(fields.filter((field) => /command|^script|run|exec|shell|hook|env|setup/i.test(field))).toEqual([]);
    // A definition may set `integrate`, because an integration runs no command except the check command that a person
    // saved for the repository.
    expect(Object.keys(orchestrationFields)).toEqual([
      'objective',
      'strategy',
      'isolation',
      'baseBranch',
      'maxConcurrent',
      'onFailure',
      'onInterrupted',
      'metadata',
      'budget',
      'roleLimits',
      'acceptUnreported',
      'integrate',
      'agents',
    ]);
  });

  it('keeps every value that YAML can hold', () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .map((value) => `x${value.replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f]|\$/g, '')}`);
    const agent = fc.record(
      {
        role: fc.constantFrom('a', 'b', 'c-d'),
        task: text,
        stage: fc.nat(9),
        allowFailure: fc.boolean(),
        maxAttempts: fc.integer({ min: 1, max: 10 }),
      },
      { requiredKeys: ['role', 'task'] },
    );
    const orchestration = fc.record(
      {
        objective: text,
        strategy: fc.constantFrom('parallel', 'sequential', 'adaptive', 'pipeline'),
        isolation: fc.constantFrom('own', 'shared'),
        maxConcurrent: fc.integer({ min: 1, max: 9 }),
        metadata: fc.dictionary(
          fc.constantFrom('k', 'l', 'm n'),
          fc.oneof(text, fc.nat(), fc.boolean(), fc.constant(null)),
        ),
        budget: fc.record({ tokens: fc.integer({ min: 1 }) }),
        agents: fc.array(agent, { maxLength: 4 }),
      },
      { requiredKeys: ['objective', 'agents'] },
    );
    fc.assert(
      fc.property(
        orchestration,
        fc.constantFrom<'BLOCK_LITERAL' | 'QUOTE_DOUBLE' | 'PLAIN'>('BLOCK_LITERAL', 'QUOTE_DOUBLE', 'PLAIN'),
        (value, type) => {
          const yaml = stringify({ name: 'a', description: 'd', ...value }, { defaultStringType: type });
          const { agents, ...fields } = parseDefinition(yaml, 'a.yaml').expand({});
          const { agents: given, ...expected } = value;
          expect(fields).toMatchObject(expected);
          expect(agents).toMatchObject(given);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('is identified by its text', () => {
    const hashes = [EXAMPLE, EXAMPLE, `${EXAMPLE}# x\n`].map((text) => parseDefinition(text, 'a.yaml').contentHash);
    expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).not.toBe(hashes[0]);
  });
});
