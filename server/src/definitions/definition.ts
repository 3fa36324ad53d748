import { createHash } from 'node:crypto';
import { DefinitionFile, definitionHead, RESERVED_PARAMETERS } from '@agent-console/shared/definition-file';
import type { DefinitionProblem } from '@agent-console/shared/models/orchestration-definition';
import type { AnySchema } from '@agent-console/shared/operation';
import { issuesOf } from '@agent-console/shared/validate';
import * as v from 'valibot';
import { nearest } from '../domain/nearest.ts';
import type { Definition } from '../ports/definitions.ts';
import { expand } from './expand.ts';
import { declarationMistakes, sampleValues, toParameter, valuesOf } from './parameters.ts';
import { findPlaceholders, OPEN } from './placeholders.ts';
import {
  type Path,
  problemsError,
  readSource,
  type Source,
  type SourceEntry,
  type SourceValue,
  toPlain,
  valueAt,
} from './source.ts';

const Head = v.object(definitionHead);

/**
 * Reads a definition file and validates it with its defaults. Required parameters get sample values, so a mistake that
 * depends on an actual value is not found here.
 * @param file name for error messages
 * @throws VALIDATION with `details.problems`.
 */
export function parseDefinition(text: string, file: string): Definition {
  const source = readSource(text, file);
  if (source.root.kind !== 'map') {
    throw problemsError(file, [source.problem(source.root.start, [], 'must be a YAML mapping; start with "name: …"')]);
  }
  const placeholders = placeholderProblems(source);
  const problems = [...unknownFields(source, DefinitionFile, source.root, []), ...placeholders.problems];
  const known = problems.length;
  const head = readHead(source, problems);
  const parameters = head?.parameters ?? [];
  const values = sampleValues(parameters);
  const certain = problems.length > known ? [] : parameters.filter((parameter) => !parameter.required);
  const sampled = placeholders.names.filter((name) => !certain.some((parameter) => parameter.name === name));
  const checked = expand(source, values, new Set(sampled));
  problems.push(...(checked.problems ?? []));
  if (head === null || problems.length > 0) throw problemsError(file, problems);
  return {
    ...head,
    text,
    contentHash: createHash('sha256').update(text).digest('hex'),
    expand(values) {
      const expanded = expand(source, valuesOf(parameters, values));
      if (expanded.problems !== undefined) throw problemsError(file, expanded.problems);
      return expanded.orchestration;
    },
  };
}

/**
 * Reads name, description and parameters, and adds their mistakes to `problems`. Returns null if they do not match the
 * schema.
 */
function readHead(
  { root, problem }: Source,
  problems: DefinitionProblem[],
): Pick<Definition, 'name' | 'description' | 'parameters'> | null {
  const value = toPlain(root);
  const issues = issuesOf(Head, value).filter(({ isUnknownField }) => !isUnknownField);
  for (const { keys, message } of issues) {
    const isName = keys[0] === 'parameters' && keys.length === 2;
    problems.push(problem(isName ? keyOffset(root, keys) : valueAt(root, keys).start, keys, message));
  }
  const head = v.safeParse(Head, value);
  if (!head.success) return null;
  const { name, description } = head.output;
  for (const [key, { start }] of declaredParameters(root)) {
    // The schema drops parameters with names that are reserved in JavaScript, such as "constructor", without an error.
    // They are reported here.
    if (!Object.hasOwn(head.output.parameters, key)) {
      problems.push(problem(start, ['parameters', key], 'a parameter cannot have this name; choose another one'));
    }
  }
  const parameters = Object.entries(head.output.parameters).map((entry) => toParameter(...entry));
  for (const parameter of parameters) {
    for (const { field, message } of declarationMistakes(parameter)) {
      const path = ['parameters', parameter.name, ...(field === null ? [] : [field])];
      problems.push(problem(field === null ? keyOffset(root, path) : valueAt(root, path).start, path, message));
    }
  }
  return { name, description, parameters };
}

function declaredParameters(root: SourceValue): ReadonlyMap<string, SourceEntry> {
  const declared = root.kind === 'map' ? root.entries.get('parameters')?.value : undefined;
  return declared?.kind === 'map' ? declared.entries : new Map();
}

/** Returns the offset of the key at the end of a path. */
function keyOffset(root: SourceValue, path: Path): number {
  const parent = valueAt(root, path.slice(0, -1));
  const entry = parent.kind === 'map' ? parent.entries.get(String(path.at(-1))) : undefined;
  return (entry ?? parent).start;
}

/** Properties of valibot schemas. The generic schema type does not declare them. */
interface SchemaParts {
  entries?: Record<string, AnySchema>;
  wrapped?: AnySchema;
  item?: AnySchema;
  value?: AnySchema;
}

/** Finds fields that the schema does not contain, at any depth, and suggests similar names. */
function unknownFields(source: Source, schema: AnySchema, value: SourceValue, path: Path): DefinitionProblem[] {
  const { entries, wrapped, item, value: values } = schema as unknown as SchemaParts;
  if (wrapped !== undefined) return unknownFields(source, wrapped, value, path);
  if (value.kind === 'list' && item !== undefined) {
    return value.items.flatMap((each, index) => unknownFields(source, item, each, [...path, index]));
  }
  if (value.kind !== 'map') return [];
  return [...value.entries].flatMap(([key, entry]) => {
    const inner = [...path, key];
    if (entries === undefined) return values === undefined ? [] : unknownFields(source, values, entry.value, inner);
    const field = Object.hasOwn(entries, key) ? entries[key] : undefined;
    if (field !== undefined) return unknownFields(source, field, entry.value, inner);
    const near = nearest(key, Object.keys(entries));
    return [source.problem(entry.start, inner, `unknown field; nearest: ${near.join(', ')}`)];
  });
}

/**
 * Returns the mistakes in all placeholders outside the head of the file, and all names in them except `item` and
 * `index` of a `forEach`.
 */
function placeholderProblems(source: Source): { problems: DefinitionProblem[]; names: readonly string[] } {
  const parameters = [...declaredParameters(source.root).keys()];
  const problems: DefinitionProblem[] = [];
  const found = new Set<string>();
  const walk = (value: SourceValue, path: Path, isMapped: boolean): void => {
    if (value.kind === 'list') {
      for (const [index, item] of value.items.entries()) walk(item, [...path, index], isMapped);
    } else if (value.kind === 'map') {
      const isAgent = path.length === 2 && path[0] === 'agents';
      const hasItems = isAgent && value.entries.has('forEach');
      for (const [key, entry] of value.entries) {
        if (path.length === 0 && key in definitionHead) continue;
        // `forEach`, and the field that names the entry, have one value for all agents of the entry. So they cannot use
        // `item` or `index`.
        const isName = key === 'agentId' || (key === 'role' && !value.entries.has('agentId')) || key === 'forEach';
        walk(entry.value, [...path, key], isAgent ? hasItems && !isName : isMapped);
      }
    } else if (typeof value.value === 'string') {
      const { names, mistakes } = findPlaceholders(value.value);
      const add = (offset: number, message: string) =>
        problems.push(source.problem(offsetInSource(source, value, offset), path, message));
      for (const { offset, message } of mistakes) add(offset, message);
      for (const { name, offset } of names) {
        if (isMapped && RESERVED_PARAMETERS.includes(name)) continue;
        found.add(name);
        if (parameters.includes(name)) continue;
        add(offset, unknownPlaceholder(name, [...parameters, ...(isMapped ? RESERVED_PARAMETERS : [])]));
      }
    }
  };
  walk(source.root, [], false);
  return { problems, names: [...found] };
}

function unknownPlaceholder(name: string, known: readonly string[]): string {
  if (RESERVED_PARAMETERS.includes(name))
    return `\${{ ${name} }} can be used only in agents with forEach, but not in their agentId`;
  const near = nearest(name, known);
  return `no parameter is named "${name}"${near.length === 0 ? '' : `; nearest: ${near.join(', ')}`}`;
}

/**
 * Returns a placeholder's offset in the file, given its offset in the parsed value. The offsets differ if the value is
 * quoted or has several lines.
 */
function offsetInSource({ text }: Source, { start, end, ...value }: SourceValue, offset: number): number {
  const before = String(value.kind === 'scalar' ? value.value : '').slice(0, offset);
  let at = text.indexOf(OPEN, start);
  for (let skip = before.split(OPEN).length - 1; skip > 0 && at >= 0; skip -= 1) at = text.indexOf(OPEN, at + 1);
  return at >= 0 && at < end ? at : start;
}
