import type { ParameterDeclaration } from '@agent-console/shared/definition-file';
import { RESERVED_PARAMETERS } from '@agent-console/shared/definition-file';
import { ConsoleError } from '@agent-console/shared/errors';
import type { DefinitionParameter, ParameterValue } from '@agent-console/shared/models/orchestration-definition';
import { type InputIssue, textOfIssues } from '@agent-console/shared/validate';
import { nearest } from '../domain/nearest.ts';

/** Values of parameters by name. A parameter without a value is absent. */
export type Values = ReadonlyMap<string, ParameterValue>;

/** Returns a parameter in which every field has a value: null for a field that its declaration omits. */
export function toParameter(name: string, declared: ParameterDeclaration): DefinitionParameter {
  const { type, description, required, choices = null, min = null, max = null } = declared;
  return { name, type, description, required, default: declared.default ?? null, choices, min, max };
}

/**
 * Returns the mistakes in the declaration of a parameter. `field` is null if a mistake concerns the whole declaration.
 */
export function declarationMistakes(parameter: DefinitionParameter): { field: string | null; message: string }[] {
  const { name, type, required, choices, min, max } = parameter;
  const mistakes: { field: string | null; message: string }[] = [];
  const add = (field: string | null, message: string) => mistakes.push({ field, message });
  if (RESERVED_PARAMETERS.includes(name)) add(null, `"${name}" is reserved for forEach; choose another name`);
  if (type === 'choice' && choices === null) add(null, 'a parameter of type "choice" needs choices');
  if (choices !== null && type !== 'choice' && type !== 'list')
    add('choices', 'only a parameter of type "choice" or "list" can have choices');
  if (choices !== null && new Set(choices).size < choices.length) add('choices', 'contains the same choice twice');
  const isBounded = type !== 'choice' && type !== 'boolean';
  if (min !== null && !isBounded) add('min', `a parameter of type "${type}" cannot have a minimum`);
  if (max !== null && !isBounded) add('max', `a parameter of type "${type}" cannot have a maximum`);
  if (min !== null && max !== null && min > max) add('max', 'must not be less than min');
  if (required && parameter.default !== null) add('default', 'a required parameter cannot have a default');
  if (parameter.default !== null && mistakes.length === 0) {
    const problem = valueProblem(parameter, parameter.default);
    if (problem !== null) add('default', problem);
  }
  return mistakes;
}

/**
 * Returns the value of each parameter: the passed value or the default. Optional parameters without a value are left
 * out.
 * @param passed values from the caller. A value of any type may be passed as text.
 * @throws VALIDATION that names each unknown, missing and invalid parameter
 */
export function valuesOf(
  parameters: readonly DefinitionParameter[],
  passed: Readonly<Record<string, unknown>>,
): Values {
  const known = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const issues: InputIssue[] = [];
  for (const name of Object.keys(passed)) {
    if (known.has(name)) continue;
    const near = nearest(name, [...known.keys()]);
    const hint = near.length === 0 ? 'this definition has no parameters' : `nearest: ${near.join(', ')}`;
    issues.push({ path: `parameters.${name}`, message: `unknown parameter; ${hint}` });
  }
  const values = new Map<string, ParameterValue>();
  for (const parameter of parameters) {
    const { name } = parameter;
    const value = Object.hasOwn(passed, name) ? fromText(parameter, passed[name]) : parameter.default;
    if (value === null || value === undefined) {
      if (parameter.required)
        issues.push({ path: `parameters.${name}`, message: `is required: ${parameter.description}` });
      continue;
    }
    const problem = valueProblem(parameter, value);
    if (problem === null) values.set(name, value as ParameterValue);
    else issues.push({ path: `parameters.${name}`, message: problem });
  }
  if (issues.length > 0) throw new ConsoleError('VALIDATION', textOfIssues(issues), { field: 'parameters', issues });
  return values;
}

/** Returns values with which a definition can be checked before its required parameters are known. */
export function sampleValues(parameters: readonly DefinitionParameter[]): Values {
  const values = new Map<string, ParameterValue>();
  for (const parameter of parameters) {
    const value = parameter.default ?? (parameter.required ? sampleOf(parameter) : null);
    if (value !== null) values.set(parameter.name, value);
  }
  return values;
}

function sampleOf({ type, choices, min, max }: DefinitionParameter): ParameterValue {
  if (type === 'choice') return choices?.[0] ?? '';
  if (type === 'boolean') return false;
  if (type === 'number') return min ?? Math.min(1, max ?? 1);
  if (type === 'list') return Array.from({ length: Math.max(1, min ?? 1) }, () => choices?.[0] ?? 'sample');
  return 'sample'.padEnd(min ?? 0, '.').slice(0, max ?? undefined);
}

/** Parses a text by the type of its parameter. Any other value, and a text that does not fit, is returned unchanged. */
function fromText({ type }: DefinitionParameter, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (type === 'number') return /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value;
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  if (type !== 'list') return value;
  if (!value.trimStart().startsWith('[')) return value.split(/\r?\n/).filter((line) => line.trim() !== '');
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** Returns why a value does not fit its parameter, or null. */
function valueProblem({ type, choices, min, max }: DefinitionParameter, value: unknown): string | null {
  const allowed = (item: string) => choices === null || choices.includes(item);
  const choose = `must be one of ${choices?.join(', ')}`;
  switch (type) {
    case 'number':
      if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
      return boundsProblem(value, null, min, max);
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'choice':
      return typeof value === 'string' && allowed(value) ? null : choose;
    case 'list':
      if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) return 'must be a list of texts';
      return value.every(allowed) ? boundsProblem(value.length, 'items', min, max) : `each item ${choose}`;
    case 'string':
      return typeof value === 'string' ? boundsProblem(value.length, 'characters', min, max) : 'must be a text';
  }
}

/**
 * Returns why `size` is out of bounds, or null if it is not.
 * @param unit what `size` counts, such as characters; null if `size` is itself the value of a parameter
 */
function boundsProblem(size: number, unit: string | null, min: number | null, max: number | null): string | null {
  const bound = (leastOrMost: string, limit: number) =>
    unit === null ? `must be at ${leastOrMost} ${limit}` : `must have at ${leastOrMost} ${limit} ${unit}`;
  if (min !== null && size < min) return bound('least', min);
  if (max !== null && size > max) return bound('most', max);
  return null;
}
