import * as v from 'valibot';
import { described } from '../describe.ts';

/** A choice that people can make for the agent of a session, such as its permission mode or its model. */
export const AgentOption = v.object({
  id: described(v.string(), 'Option id'),
  name: described(v.string(), 'Name to show'),
  category: described(v.nullable(v.string()), 'What the option selects, such as mode or model; null if unknown'),
  current: described(v.string(), 'Id of the selected value'),
  values: described(
    v.array(
      v.object({
        id: described(v.string(), 'Value id'),
        name: described(v.string(), 'Name to show'),
        description: described(v.nullable(v.string()), 'Description of the value, or null'),
      }),
    ),
    'Values to choose from',
  ),
});
export type AgentOption = v.InferOutput<typeof AgentOption>;

/** The options and slash commands of a session's agent, and how much of its context window is used. */
export const AgentOptions = v.object({
  options: described(v.array(AgentOption), 'Options; the one with category mode is the permission mode'),
  commands: described(
    v.array(
      v.object({
        name: described(v.string(), 'Name, typed after a slash at the start of a prompt'),
        description: described(v.string(), 'Description'),
        hint: described(v.nullable(v.string()), 'Hint about what to type after the command, or null'),
      }),
    ),
    'Slash commands that the agent reported; empty if it reports none',
  ),
  usage: described(
    v.nullable(
      v.object({
        used: described(v.number(), 'Number of tokens in the context'),
        size: described(v.number(), 'Maximum number of tokens in the context'),
        costUsd: described(v.nullable(v.number()), 'Cost of the conversation in US dollars, or null'),
      }),
    ),
    'Use of the context as reported by the agent, or null',
  ),
});
export type AgentOptions = v.InferOutput<typeof AgentOptions>;
