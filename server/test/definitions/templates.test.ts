import { describe, expect, it } from 'vitest';
import { parseDefinition } from '../../src/definitions/definition.ts';
import { templates } from '../../src/definitions/templates.ts';
import { blocksOf, readDocument } from '../support/documents.ts';

function templateNamed(name: string) {
  const found = templates().find((template) => template.name === name);
  if (found === undefined) throw new Error(`There is no template ${name}`);
  return found;
}

/** Returns the names of a template's agents, each with its dependencies. */
const graphOf = (name: string, values: Record<string, unknown>) =>
  templateNamed(name)
    .expand(values)
    .agents.map(({ agentId, dependencies }) => `${agentId} ← ${dependencies.join(' ')}`.trim());

it('the definition in the guide is valid', () => {
  const [text = ''] = blocksOf(readDocument('docs/guide/definitions.md')).flatMap((block) =>
    block.language === 'yaml' ? [block.text] : [],
  );
  const { agents } = parseDefinition(text, 'guide.yaml').expand({ languages: ['de', 'fr'] });
  expect(agents.map(({ agentId }) => agentId)).toEqual(['translator-1', 'translator-2', 'checker']);
});

describe('a template', () => {
  it.each(templates().map(({ name }) => name))('%s needs only its required parameters', (name) => {
    const template = templateNamed(name);
    const required = template.parameters.filter((parameter) => parameter.required);
    const values = required.map(({ name, type }) => [name, type === 'list' ? ['one', 'two'] : 'topic']);
    const { agents, objective } = template.expand(Object.fromEntries(values));
    for (const text of [objective, ...agents.map(({ task }) => task)]) expect(text).not.toMatch(/\$\{\{|undefined/);
    for (const { task } of agents) expect(task).toMatch(/report (as )?your result/i);
  });

  it('review has any number of reviewers and one summary', () => {
    expect(graphOf('review', { branch: 'topic', reviewers: '2' })).toEqual([
      'reviewer-1 ←',
      'reviewer-2 ←',
      'summary ← reviewer-1 reviewer-2',
    ]);
    expect(templateNamed('review').expand({ branch: 'topic' })).toMatchObject({
      baseBranch: 'topic',
      isolation: 'own',
    });
  });

  it('review has a reviewer for each named agent definition', () => {
    const values = { branch: 'topic', reviewers: 1, agents: ['codex', 'claude-code'] };
    expect(graphOf('review', values)).toEqual([
      'reviewer-1 ←',
      'agent-1 ←',
      'agent-2 ←',
      'summary ← reviewer-1 agent-1 agent-2',
    ]);
    const { agents } = templateNamed('review').expand(values);
    expect(agents.map(({ agenticTool }) => agenticTool)).toEqual([undefined, 'codex', 'claude-code', undefined]);
    expect(agents.map(({ role }) => role)).toEqual(['reviewer', 'reviewer', 'reviewer', 'summary']);
  });

  it('implement-test-review has three stages in one worktree', () => {
    const made = templateNamed('implement-test-review').expand({ task: 'Add a flag.', tester: 'codex' });
    expect(made).toMatchObject({ strategy: 'pipeline', isolation: 'shared' });
    expect(made.agents.map(({ agentId, stage, agenticTool }) => [agentId, stage, agenticTool])).toEqual([
      ['implementer', 0, undefined],
      ['tester', 1, 'codex'],
      ['reviewer', 2, undefined],
    ]);
  });

  it('race has attempts of the default agent and of named ones, and a judge', () => {
    const values = { task: 'Add a flag.', attempts: 1, agents: ['codex', 'claude-code'] };
    expect(graphOf('race', values)).toEqual([
      'attempt-1 ←',
      'agent-1 ←',
      'agent-2 ←',
      'judge ← attempt-1 agent-1 agent-2',
    ]);
    const { agents } = templateNamed('race').expand(values);
    expect(agents.map(({ agenticTool }) => agenticTool)).toEqual([undefined, 'codex', 'claude-code', undefined]);
    expect(agents[0]?.task).toBe(agents[1]?.task);
  });

  it('map has one agent for each item and one that collects', () => {
    const values = { items: 'a.ts\nb.ts\n', task: 'Add a header.' };
    expect(graphOf('map', values)).toEqual(['item-1 ←', 'item-2 ←', 'collector ← item-1 item-2']);
    const [first, , collector] = templateNamed('map').expand(values).agents;
    expect(first?.task).toContain('Your item is: a.ts\n');
    expect(collector?.task).toContain('- a.ts\n- b.ts\n');
  });
});
