import * as v from 'valibot';
import { described } from './describe.ts';
import { AGENT_NAME_MAX_CHARS, DEFINITION_PARAMETERS_MAX, ORCHESTRATION_AGENTS_MAX } from './limits/orchestrations.ts';
import { TEXT_MAX_CHARS } from './limits/texts.ts';
import { ParameterType, ParameterValue } from './models/orchestration-definition.ts';
import { AgentSpec, orchestrationFields } from './operations/orchestrations.ts';

/**
 * Names that parameters must not have, because agents with `forEach` use them for the current item and its position.
 */
export const RESERVED_PARAMETERS: readonly string[] = ['item', 'index'];

export const ParameterName = v.pipe(
  v.string(),
  v.maxLength(AGENT_NAME_MAX_CHARS),
  v.regex(
    /^[A-Za-z][A-Za-z0-9_-]*$/,
    'a parameter name may only contain letters, digits, "_" and "-", and must start with a letter',
  ),
);

const description = v.pipe(v.string(), v.maxLength(TEXT_MAX_CHARS), v.regex(/\S/, 'must not be blank'));

export const ParameterDeclaration = v.strictObject({
  type: described(ParameterType, 'Type of the value; choice: one of the values in choices; list: a list of strings'),
  description: described(description, 'Purpose of the parameter'),
  required: v.optional(described(v.boolean(), 'Whether the caller must pass a value for the parameter'), false),
  default: v.optional(described(ParameterValue, 'Value of the parameter if the caller passes none')),
  choices: v.optional(described(v.pipe(v.array(v.string()), v.minLength(1)), 'Allowed values of a choice or list')),
  min: v.optional(
    described(v.number(), 'Minimum value of a number, minimum characters of a string or minimum items of a list'),
  ),
  max: v.optional(
    described(v.number(), 'Maximum value of a number, maximum characters of a string or maximum items of a list'),
  ),
});
export type ParameterDeclaration = v.InferOutput<typeof ParameterDeclaration>;

/** Fields of a definition file that describe the definition itself. Parameters are not inserted into them. */
export const definitionHead = {
  name: described(
    v.pipe(
      v.string(),
      v.maxLength(AGENT_NAME_MAX_CHARS),
      v.regex(
        /^[a-z0-9][a-z0-9-]*$/,
        'may only contain lower-case letters, digits and "-", and must start with a letter or digit',
      ),
    ),
    'Name by which the definition is run',
  ),
  description: described(description, 'What the orchestration is for, in one or two sentences'),
  parameters: v.optional(
    described(
      v.pipe(v.record(ParameterName, ParameterDeclaration), v.maxEntries(DEFINITION_PARAMETERS_MAX)),
      `Parameters by name, for which the caller passes values; \${{ name }} inserts the value of a parameter into a text`,
    ),
    {},
  ),
};

/**
 * An agent in a definition file. With `forEach`, the console creates one agent for each item. An agent that depends on
 * this entry depends on all agents created from the entry.
 */
const AgentEntry = v.strictObject({
  ...AgentSpec.entries,
  forEach: v.optional(
    described(
      v.union([
        v.array(v.union([v.string(), v.number()])),
        v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(ORCHESTRATION_AGENTS_MAX)),
      ]),
      `Creates one agent for each item of a list, or, for a number n, for each number from 1 to n; \${{ item }} inserts the item or number, \${{ index }} its position, from 1`,
    ),
  ),
});

/**
 * A definition file of an orchestration after its parameters were inserted: the fields of `orchestrations.create`, and
 * those that describe the definition.
 */
export const DefinitionFile = v.strictObject({
  ...definitionHead,
  ...orchestrationFields,
  agents: described(v.pipe(v.array(AgentEntry), v.maxLength(ORCHESTRATION_AGENTS_MAX)), 'Agents'),
});

/**
 * The orchestration that a definition describes once its parameters are inserted: input fields of
 * `orchestrations.create`.
 */
export const DefinedOrchestration = v.strictObject(orchestrationFields);
export type DefinedOrchestration = v.InferOutput<typeof DefinedOrchestration>;
