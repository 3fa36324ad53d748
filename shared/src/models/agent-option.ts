import * as v from 'valibot';
import { described } from '../describe.ts';

/** A choice that people can make for the agent of a session, such as its permission mode or its model. */
export const AgentOption = v.object({
  id: described(v.string(), 'Id of the option'),
  name: described(v.string(), 'Display name of the option'),
  category: described(v.nullable(v.string()), 'What the option selects, such as mode or model; null if unknown'),
  current: described(v.string(), 'Id of the selected value'),
  values: described(
    v.array(
      v.object({
        id: described(v.string(), 'Id of the value'),
        name: described(v.string(), 'Display name of the value'),
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
        name: described(v.string(), 'Name of the command, typed after a slash at the start of a prompt'),
        description: described(v.string(), 'Description of the command'),
        hint: described(v.nullable(v.string()), 'Hint about what to type after the command, or null'),
      }),
    ),
    'Slash commands that the agent reported; empty if it reports none',
  ),
  usage: described(
    v.nullable(
      v.object({
        used: described(v.number(), 'Number of tokens in the context window'),
        size: described(v.number(), 'Size of the context window in tokens'),
        costUsd: described(v.nullable(v.number()), 'Cost of the conversation in US dollars, or null'),
      }),
    ),
    'Use of the context window as reported by the agent, or null',
  ),
});
export type AgentOptions = v.InferOutput<typeof AgentOptions>;
