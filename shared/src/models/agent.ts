import * as v from 'valibot';

export const AgentKindName = v.picklist(['scripted', 'custom']);

/** A definition of how to run an agent. */
export const Agent = v.object({
  id: v.string(),
  name: v.string(),
  kind: AgentKindName,
  driver: v.picklist(['pty']),
  command: v.array(v.string()),
  /** Names of environment variables given to it from the server's environment; values are never stored. */
  env: v.array(v.string()),
  queueWhenUnknown: v.picklist(['hold', 'send']),
  builtIn: v.boolean(),
  /** Whether its binary was found just now. */
  installed: v.boolean(),
});
export type Agent = v.InferOutput<typeof Agent>;
