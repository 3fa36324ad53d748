import { DefinedOrchestration } from '@agent-console/shared/definition-file';
import { ConsoleError } from '@agent-console/shared/errors';
import { DEFINITION_EXPANDED_MAX_CHARS, ORCHESTRATION_AGENTS_MAX } from '@agent-console/shared/limits/orchestrations';
import type { DefinitionProblem, ParameterValue } from '@agent-console/shared/models/orchestration-definition';
import { issuesOf } from '@agent-console/shared/validate';
import * as v from 'valibot';
import { planAgents } from '../domain/orchestration/plan.ts';
import { type AgentEntry, nameAgents } from './agent-names.ts';
import type { Values } from './parameters.ts';
import { findPlaceholders, toText } from './placeholders.ts';
import { type Path, type Source, type SourceEntry, type SourceValue, valueAt } from './source.ts';

export type Expansion =
  | { orchestration: DefinedOrchestration; problems?: undefined }
  | { problems: DefinitionProblem[] };

const isHead = (key: string) => ['name', 'description', 'parameters'].includes(key);

/**
 * Inserts parameter values into a definition, and creates the agents of each `forEach`. Values are inserted once, after
 * the YAML was parsed, so YAML syntax and placeholders in a value have no effect.
 * @param sampled names of parameters with sample values. Mistakes in texts that contain these parameters are not
 * reported.
 */
export function expand(source: Source, values: Values, sampled: ReadonlySet<string> = new Set()): Expansion {
  const { root, problem } = source;
  const problems: DefinitionProblem[] = [];
  const report = (at: SourceValue, path: Path, message: string) => {
    if (
      dependsOn(at, sampled) ||
      (namesIn(at).includes('item') && dependsOn(valueAt(root, [...path.slice(0, 2), 'forEach']), sampled))
    )
      return;
    const found = problem(at.start, path, `${message}${originOf(at)}`);
    // All agents of an entry have the same mistakes, so each mistake is reported once.
    const isKnown = problems.some((other) => other.path === found.path && other.message === found.message);
    if (!isKnown) problems.push(found);
  };
  const render = createRenderer();
  try {
    const entries: ReadonlyMap<string, SourceEntry> = root.kind === 'map' ? root.entries : new Map();
    const fields = [...entries].filter(([key]) => !isHead(key) && key !== 'agents');
    const input: Record<string, unknown> = Object.fromEntries(renderEntries(render, fields, values));
    const list = entries.get('agents')?.value;
    const { agents, mistakes } = nameAgents(list === undefined ? [] : expandAgents(list, values, render, report));
    const entriesInFile = list?.kind === 'list' ? list.items : [];
    const hasSampledNames = entriesInFile.some((entry) =>
      namingOf(entry).some(([, { value }]) => dependsOn(value, sampled)),
    );
    for (const { entry, field, item, message } of mistakes) {
      if (field === 'dependencies' && hasSampledNames) continue;
      const path = ['agents', entry, field, ...(item === null ? [] : [item])];
      report(valueAt(root, path), path, message);
    }
    if (list !== undefined)
      input.agents = list.kind === 'list' ? agents.map(({ value }) => value) : render(list, values);
    const entryOf = (index: number) => agents[index]?.entry ?? index;
    const issues = issuesOf(DefinedOrchestration, input);
    // Without `agentId`, an agent is named after its role and suffix. An invalid role or suffix makes this name invalid
    // too, but only the role or suffix is reported.
    const isDerived = ([, index, field]: Path) =>
      field === 'agentId' &&
      issues.some(({ keys }) => keys[1] === index && (keys[2] === 'role' || keys[2] === 'suffix'));
    // Unknown fields are skipped, because `unknownFields` reports them together with similar names.
    for (const { keys, message } of issues.filter(({ isUnknownField }) => !isUnknownField)) {
      if (isDerived(keys)) continue;
      const path = toSourcePath(keys, entryOf);
      report(valueAt(root, path), path, message);
    }
    if (problems.length > 0 || issues.length > 0) return { problems };
    const orchestration = v.parse(DefinedOrchestration, input);
    const strategy = entries.get('strategy')?.value;
    const mistake = strategy !== undefined && dependsOn(strategy, sampled) ? null : planMistake(orchestration);
    if (mistake !== null) {
      const path = toSourcePath(mistake.path, entryOf);
      report(valueAt(root, path), path, mistake.message);
    }
    return problems.length > 0 ? { problems } : { orchestration };
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    return { problems: [problem(error.at.start, [], error.message)] };
  }
}

class TooLarge extends Error {
  readonly at: SourceValue;

  constructor(at: SourceValue, message: string) {
    super(message);
    this.at = at;
  }
}

/** Returns why the agents cannot run in the order of their dependencies; null if they can. */
function planMistake({ strategy, agents }: DefinedOrchestration): { path: Path; message: string } | null {
  try {
    planAgents(strategy, agents);
    return null;
  } catch (error) {
    if (!(error instanceof ConsoleError)) throw error;
    const field = String(error.details.field ?? '');
    const path = field.split(/[[\].]+/).map((key) => (/^\d+$/.test(key) ? Number(key) : key));
    return { path, message: error.message.slice(field === '' ? 0 : `${field}: `.length) };
  }
}

type Render = (value: SourceValue, values: Values) => unknown;

/**
 * Returns a function that inserts parameter values into a part of a definition. The function throws TooLarge once all
 * its results together exceed DEFINITION_EXPANDED_MAX_CHARS. A text that consists of a single placeholder becomes
 * undefined if the parameter has no value. A mapping becomes undefined if all its values are undefined.
 */
function createRenderer(): Render {
  let chars = 0;
  const grow = (at: SourceValue, by: number) => {
    chars += by;
    if (chars > DEFINITION_EXPANDED_MAX_CHARS) {
      throw new TooLarge(
        at,
        `with these parameters, the texts of the definition have more than ${DEFINITION_EXPANDED_MAX_CHARS} characters`,
      );
    }
  };
  const render: Render = (value, values) => {
    if (value.kind === 'list')
      return value.items.map((item) => render(item, values)).filter((item) => item !== undefined);
    if (value.kind === 'map') {
      const entries = renderEntries(render, [...value.entries], values);
      return entries.length === 0 && value.entries.size > 0 ? undefined : Object.fromEntries(entries);
    }
    if (typeof value.value !== 'string') return value.value;
    const { parts, whole } = findPlaceholders(value.value);
    if (whole !== null) {
      grow(value, toText(values.get(whole)).length);
      return values.get(whole);
    }
    return parts
      .map((part) => {
        const text = 'text' in part ? part.text : toText(values.get(part.name));
        grow(value, text.length);
        return text;
      })
      .join('');
  };
  return render;
}

function renderEntries(render: Render, entries: readonly [string, SourceEntry][], values: Values): [string, unknown][] {
  return entries
    .map(([key, { value }]): [string, unknown] => [key, render(value, values)])
    .filter(([, value]) => value !== undefined);
}

function expandAgents(
  list: SourceValue,
  values: Values,
  render: Render,
  report: (at: SourceValue, path: Path, message: string) => void,
): AgentEntry[] {
  if (list.kind !== 'list') return [];
  let count = 0;
  return list.items.map((entry, at) => {
    const fields = entry.kind === 'map' ? [...entry.entries] : [];
    const forEach = fields.find(([key]) => key === 'forEach')?.[1].value;
    const own = fields.filter(([key]) => key !== 'forEach');
    const naming = Object.fromEntries(renderEntries(render, namingOf(entry), values));
    if (forEach === undefined) return { at, isMapped: false, naming, agents: [render(entry, values)] };
    const items = itemsOf(render(forEach, values));
    if (typeof items === 'string') {
      report(forEach, ['agents', at, 'forEach'], items);
      return { at, isMapped: true, naming, agents: [] };
    }
    count += items.length;
    if (count > ORCHESTRATION_AGENTS_MAX) {
      throw new TooLarge(
        forEach,
        `with these parameters, the definition has more than ${ORCHESTRATION_AGENTS_MAX} agents`,
      );
    }
    const agents = items.map((item, index) => {
      const inner = new Map(values).set('item', item).set('index', index + 1);
      return Object.fromEntries(renderEntries(render, own, inner));
    });
    return { at, isMapped: true, naming, agents };
  });
}

/** Returns the fields from which an agent's name is derived. */
function namingOf(entry: SourceValue): [string, SourceEntry][] {
  const fields = entry.kind === 'map' ? [...entry.entries] : [];
  return fields.filter(([key]) => ['agentId', 'role', 'suffix'].includes(key));
}

/** Returns the items of a `forEach`, or an error message if the value is invalid. */
function itemsOf(value: unknown): readonly ParameterValue[] | string {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) {
    return Array.from({ length: Math.min(value, ORCHESTRATION_AGENTS_MAX + 1) }, (_, index) => index + 1);
  }
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string' || typeof item === 'number');
  return isList ? value : 'must be a whole number or a list of texts';
}

/** Converts the path of a field in the expanded definition to the field's path in the definition file. */
function toSourcePath(keys: Path, entryOf: (index: number) => number): Path {
  const [field, index, ...rest] = keys;
  return field === 'agents' && typeof index === 'number' ? ['agents', entryOf(index), ...rest] : keys;
}

/**
 * Returns a text to append to an error message: the names of the parameters that the invalid value contains. Returns an
 * empty text if the value contains none.
 */
function originOf(value: SourceValue): string {
  const names = namesIn(value);
  return names.length === 0 ? '' : ` (inserted parameters: ${names.join(', ')})`;
}

function dependsOn(value: SourceValue, names: ReadonlySet<string>): boolean {
  return namesIn(value).some((name) => names.has(name));
}

/** Returns the names of the placeholders in a text. */
function namesIn(value: SourceValue): string[] {
  if (value.kind !== 'scalar' || typeof value.value !== 'string') return [];
  return [...new Set(findPlaceholders(value.value).names.map(({ name }) => name))];
}
