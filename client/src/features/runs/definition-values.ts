import type {
  DefinitionParameter,
  OrchestrationDefinition,
  ParameterValue,
} from '@agent-console/shared/models/orchestration-definition';

/** Returns the name of a parameter as a label: `itemAgent` becomes `Item agent`. */
export function labelOfParameter(name: string): string {
  const words = name
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/[-_]+/g, ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Values of parameters as entered. A list has one item per line; a boolean is `true` or `false`. */
export type EnteredValues = Readonly<Record<string, string>>;

/** Returns the defaults of a definition's parameters in the format of EnteredValues. */
export function defaultsOf({ parameters }: Pick<OrchestrationDefinition, 'parameters'>): EnteredValues {
  return Object.fromEntries(parameters.map(({ name, default: value }) => [name, asEntered(value)]));
}

function asEntered(value: ParameterValue | null): string {
  if (value === null) return '';
  return Array.isArray(value) ? value.join('\n') : String(value);
}

/** Whether a required value has not been entered. */
export function isMissing({ name, required }: DefinitionParameter, values: EnteredValues): boolean {
  return required && (values[name] ?? '').trim() === '';
}

/** Returns the values to send. Empty values are left out, so that the defaults of the definition apply. */
export function valuesOf(
  parameters: readonly DefinitionParameter[],
  entered: EnteredValues,
): Record<string, ParameterValue> {
  const values: Record<string, ParameterValue> = {};
  for (const { name, type } of parameters) {
    const text = entered[name] ?? '';
    if (text.trim() === '') continue;
    values[name] = type === 'list' ? text.split('\n').filter((line) => line.trim() !== '') : text;
  }
  return values;
}
