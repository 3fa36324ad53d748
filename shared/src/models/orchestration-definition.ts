import * as v from 'valibot';
import { described } from '../describe.ts';

/** `choice`: one of a list of texts; `list`: several texts. */
export const ParameterType = v.picklist(['string', 'number', 'boolean', 'choice', 'list']);
export type ParameterType = v.InferOutput<typeof ParameterType>;

/** Value of a parameter of a definition. */
export const ParameterValue = v.union([v.string(), v.number(), v.boolean(), v.array(v.string())]);
export type ParameterValue = v.InferOutput<typeof ParameterValue>;

export const DefinitionParameter = v.object({
  name: described(v.string(), 'Name'),
  type: described(ParameterType, 'choice: one of the choices; list: several texts'),
  description: described(v.string(), 'What the value is for'),
  required: described(v.boolean(), 'Whether a value must be passed'),
  default: described(v.nullable(ParameterValue), 'Value if none is passed; null: none'),
  choices: described(v.nullable(v.array(v.string())), 'Allowed values, or null'),
  min: described(v.nullable(v.number()), 'Minimum value, characters or items, or null'),
  max: described(v.nullable(v.number()), 'Maximum value, characters or items, or null'),
});
export type DefinitionParameter = v.InferOutput<typeof DefinitionParameter>;

/** A mistake in a definition file. */
export const DefinitionProblem = v.object({
  line: described(v.number(), 'Line, from 1'),
  column: described(v.number(), 'Column, from 1'),
  path: described(v.string(), 'Dotted path of the field; empty for the file as a whole'),
  message: described(v.string(), 'What is wrong'),
});
export type DefinitionProblem = v.InferOutput<typeof DefinitionProblem>;
