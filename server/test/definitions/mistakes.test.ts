import { DEFINITION_MAX_BYTES, DEFINITION_PROBLEMS_MAX } from '@agent-console/shared/limits/orchestrations';
import type { DefinitionProblem } from '@agent-console/shared/models/orchestration-definition';
import { describe, expect, it } from 'vitest';
import { parseDefinition } from '../../src/definitions/definition.ts';
import { changed, EXAMPLE, errorOf } from './example.ts';

function problemsOf(text: string): string[] {
  const error = errorOf(() => parseDefinition(text, 'example.yaml'));
  expect(error.code).toBe('VALIDATION');
  const { problems } = error.details as unknown as { problems: DefinitionProblem[] };
  return problems.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);
}

/** The mistake, the text of the example that is replaced, its replacement, and the reported errors. */
type Case = [what: string, from: string, to: string, ...reported: string[]];

const SYNTAX: Case[] = [
  [
    'a tab',
    '  count:',
    '\tcount:',
    '4:1 : tabs are not allowed as indentation',
    '9:1 : all mapping items must start at the same column',
  ],
  ['an open quote', 'An example.', '"An', '24:1 : missing closing "quote'],
  [
    '": " in a text',
    'objective: About',
    'objective: About: this',
    '13:12 : a text that contains ": " must be in quotes, or start on the line after "|"',
  ],
  [
    'a placeholder in a list',
    '[writer]',
    '[${{ topic }}]',
    '20:21 : inside [ ] and { }, a text with ${{ … }} must be in quotes',
  ],
  ['a field twice', 'strategy: adaptive', 'name: other', '14:1 name: occurs twice'],
  [
    'a second document',
    'objective:',
    '---\nobjective:',
    '13:1 : the file contains several documents; put each into a file of its own',
  ],
  ['an unknown tag', 'An example.', '!!js/function "x"', '2:14 : unresolved tag: tag:yaml.org,2002:js/function'],
  ['an unknown anchor', '[writer]', '*deps', '20:19 agents.1.dependencies: the anchor &deps does not exist'],
  ['an anchor in itself', '[writer]', '&d [*d]', '20:23 agents.1.dependencies.0: the anchor &d contains itself'],
  [
    'a number that is none',
    'strategy: adaptive',
    'metadata: { a: .nan }',
    '14:16 metadata.a: must be a text, a number, true or false',
  ],
];

const FIELDS: Case[] = [
  ['an unknown field', 'strategy:', 'stratgy:', '14:1 stratgy: unknown field; nearest: strategy, agents, integrate'],
  [
    'an unknown field of an agent',
    'task: |',
    'taks: |',
    '19:5 agents.1.task: is required',
    '21:5 agents.1.taks: unknown field; nearest: task, stage, role',
  ],
  [
    'an unknown field of a budget',
    'strategy: adaptive',
    'budget: { token: 5, agents: 0 }',
    '14:11 budget.token: unknown field; nearest: tokens, money, agents',
    '14:29 budget.agents: expected at least 1',
  ],
  [
    'a field of JavaScript',
    'strategy: adaptive',
    '__proto__: { a: 1 }',
    '14:1 __proto__: unknown field; nearest: strategy, agents, budget',
  ],
  ['a missing field', 'description: An example.\n', '', '1:1 description: is required'],
  ['an empty field', 'description: An example.', 'description:', '2:13 description: expected string'],
  [
    'a wrong name',
    'name: example',
    'name: An example',
    '1:7 name: may only contain lower-case letters, digits and "-", and must start with a letter or digit',
  ],
  [
    'an unknown value',
    'adaptive',
    'eventual',
    '14:11 strategy: expected "parallel" or "sequential" or "adaptive" or "pipeline"',
  ],
  ['a number that is too small', 'strategy: adaptive', 'maxConcurrent: 0', '14:16 maxConcurrent: expected at least 1'],
  ['a blank text', 'About ${{ topic }}', '"  "', '13:12 objective: must not be blank'],
  [
    'a wrong role',
    'role: editor',
    'role: the editor',
    '19:11 agents.1.role: may only contain letters, digits, "_", "-" and ".", and must start with a letter or digit',
  ],
];

const PARAMETERS: Case[] = [
  [
    'an unknown type',
    'type: number',
    'type: int',
    '5:11 parameters.count.type: expected "string" or "number" or "boolean" or "choice" or "list"',
  ],
  [
    'an unknown field',
    '    min: 1',
    '    minimum: 1',
    '8:5 parameters.count.minimum: unknown field; nearest: min, choices, max',
  ],
  [
    'a wrong name',
    '  topic:',
    '  "1 topic":',
    '9:3 parameters.1 topic: a parameter name may only contain letters, digits, "_" and "-", and must start with a letter',
    '13:18 objective: no parameter is named "topic"; nearest: 1 topic, count',
    '18:23 agents.0.task: no parameter is named "topic"; nearest: 1 topic, count, index',
    '23:13 agents.1.task: no parameter is named "topic"; nearest: 1 topic, count',
  ],
  [
    'a reserved name',
    '  count:',
    '  index:',
    '4:3 parameters.index: "index" is reserved for forEach; choose another name',
    '17:14 agents.0.forEach: no parameter is named "count"; nearest: topic, index',
  ],
  [
    'a name that JavaScript reserves',
    '  count:',
    '  constructor:',
    '4:3 parameters.constructor: a parameter cannot have this name; choose another one',
    '17:14 agents.0.forEach: no parameter is named "count"; nearest: topic, constructor',
  ],
  [
    'a choice without choices',
    'type: number',
    'type: choice',
    '4:3 parameters.count: a parameter of type "choice" needs choices',
    '8:10 parameters.count.min: a parameter of type "choice" cannot have a minimum',
  ],
  [
    'choices of a number',
    'min: 1',
    'choices: ["1"]',
    '8:14 parameters.count.choices: only a parameter of type "choice" or "list" can have choices',
  ],
  ['a default below the minimum', 'default: 2', 'default: 0', '7:14 parameters.count.default: must be at least 1'],
  ['a default of another type', 'default: 2', 'default: "2"', '7:14 parameters.count.default: must be a number'],
  [
    'a default of a required parameter',
    'required: true',
    'required: true\n    default: x',
    '13:14 parameters.topic.default: a required parameter cannot have a default',
  ],
  [
    'an unknown placeholder',
    'About ${',
    'About ${{ topics }} ${',
    '13:18 objective: no parameter is named "topics"; nearest: topic, count',
  ],
  [
    'an unknown placeholder in a later line',
    '      about ${',
    '      about ${{ topics }} ${',
    '23:13 agents.1.task: no parameter is named "topics"; nearest: topic, count',
  ],
  [
    'an expression',
    'About ${',
    'About ${{ 1 + 1 }} ${',
    '13:18 objective: "${{ 1 + 1 }}" must contain the name of a parameter and nothing else',
  ],
  [
    'an open placeholder',
    'About ${{ topic }}',
    'About ${{ topic',
    '13:18 objective: "${{" without "}}"; write "$${{" for a literal "${{"',
  ],
];

const AGENTS: Case[] = [
  [
    'an unknown dependency',
    '[writer]',
    '[writer, wrtier]',
    '20:28 agents.1.dependencies.1: no agent is named "wrtier"; nearest: writer, editor',
  ],
  ['a dependency that is no list', '[writer]', 'writer', '20:19 agents.1.dependencies: expected Array'],
  [
    'an item outside forEach',
    'Edit what',
    'Edit ${{ item }}',
    '22:12 agents.1.task: ${{ item }} can be used only in agents with forEach, but not in their agentId',
  ],
  [
    'an item in the name of an entry',
    'role: writer',
    'role: writer-${{ index }}\n    agentId: writer-${{ index }}',
    '17:21 agents.0.agentId: ${{ index }} can be used only in agents with forEach, but not in their agentId',
  ],
  [
    'a forEach over a text',
    'forEach: ${{ count }}',
    'forEach: many',
    '17:14 agents.0.forEach: must be a whole number or a list of texts',
  ],
  [
    'too many agents',
    'default: 2',
    'default: 1001',
    '17:14 : with these parameters, the definition has more than 1000 agents',
  ],
  ['an agent that depends on itself', '[writer]', '[editor]', '20:19 agents.1.dependencies: editor depends on itself'],
  [
    'agents that depend on each other',
    'forEach: ${{ count }}',
    'dependencies: [editor]',
    '17:19 agents.0.dependencies: the agents depend on each other in a cycle: writer → editor → writer; remove one of these dependencies',
  ],
  [
    'dependencies of agents that all start at once',
    'adaptive',
    'parallel',
    '20:19 agents.1.dependencies: editor has dependencies, but the strategy parallel starts all agents at once; use the strategy adaptive to run agents in the order of their dependencies',
  ],
  [
    'two entries with one name',
    'role: editor',
    'role: editor\n    agentId: writer',
    '20:14 agents.1.agentId: another entry of the list "agents" is also named "writer"; set another agentId',
  ],
  [
    'an agent named like one of forEach',
    'role: editor',
    'role: editor\n    agentId: writer-1',
    '20:14 agents.1.agentId: two agents are named "writer-1"; set another agentId',
  ],
];

describe.each([
  ['syntax', SYNTAX],
  ['fields', FIELDS],
  ['parameters', PARAMETERS],
  ['agents', AGENTS],
])('mistakes in %s are reported with their lines', (_, cases) => {
  it.each(cases)('%s', (_, from, to, ...reported) => {
    expect(problemsOf(changed(from, to))).toEqual(reported);
  });
});

describe('a definition file', () => {
  it('is named in the error, whose message has its first three mistakes', () => {
    const error = errorOf(() => parseDefinition('name: a\nx: 1\n', 'a.yaml'));
    expect(error.message).toBe(
      'a.yaml:1:1: description: is required; a.yaml:1:1: objective: is required; a.yaml:1:1: agents: is required (and 1 more problem)',
    );
    expect(error.details.file).toBe('a.yaml');
  });

  it.each([
    ['nothing', '', '1:1 : the file is empty; start with "name: …"'],
    ['a comment', '# x\n', '1:1 : the file is empty; start with "name: …"'],
    ['a text', 'hello', '1:1 : must be a YAML mapping; start with "name: …"'],
    ['a list', '- a', '1:1 : must be a YAML mapping; start with "name: …"'],
    [
      'too much',
      `#${'x'.repeat(DEFINITION_MAX_BYTES)}`,
      '1:1 : the file has 65537 bytes, but at most 65536 are allowed',
    ],
  ])('with %s is refused', (_, text, reported) => {
    expect(problemsOf(text)).toEqual([reported]);
  });

  it('can repeat an anchor only up to a limit', () => {
    const levels = ['a: &a [1,1,1,1,1,1,1,1,1,1]'];
    for (const [from, to] of ['ab', 'bc', 'cd', 'de', 'ef', 'fg'])
      levels.push(`${to}: &${to} [${`*${from},`.repeat(9)}]`);
    expect(problemsOf(levels.join('\n'))).toEqual(['5:8 e.0: the file has more than 10000 values']);
  });

  it.each(['[', '{a: ', '- '])('can nest %j only up to a limit', (open) => {
    expect(problemsOf(`a:\n  ${open.repeat(5_000)}`)[0]).toMatch(/the YAML is nested too deeply$/);
  });

  it('with thousands of mistakes reports the first ones', () => {
    expect(problemsOf('a: b: c\n'.repeat(5_000))).toHaveLength(DEFINITION_PROBLEMS_MAX);
  });

  it('may start with a byte order mark and have the line ends of Windows', () => {
    const { agents } = parseDefinition(`\ufeff${EXAMPLE.replaceAll('\n', '\r\n')}`, 'a.yaml').expand({ topic: 'x' });
    expect(agents.at(-1)?.task).toBe('Edit what was written\nabout x\n');
  });
});
