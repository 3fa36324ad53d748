import * as v from 'valibot';
import { PermissionMode } from './session.ts';

export const AgentKindName = v.picklist(['claude-code', 'codex', 'gemini', 'opencode', 'scripted', 'custom']);
export type AgentKindName = v.InferOutput<typeof AgentKindName>;

/** Id of an agent definition, as every caller and setting gives it. */
export const AgentId = v.pipe(
  v.string(),
  v.regex(
    /^[a-z0-9][a-z0-9-]{0,62}$/,
    'an agent id has only lower-case letters, digits and "-", starts with a letter or digit and has at most 63 characters',
  ),
);

/** Id of a definition that is stored already. An earlier version may have taken one that `AgentId` does not allow. */
export const StoredAgentId = v.pipe(v.string(), v.minLength(1), v.maxLength(200));

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
  /** As its program tells it; null while that is not known. */
  version: v.nullable(v.string()),
  /** Judged by files and variables alone; `unknown` where they do not tell. */
  loggedIn: v.picklist(['yes', 'no', 'unknown']),
  /** What becomes of each permission mode that may be asked for. */
  modes: v.array(v.object({ requested: PermissionMode, effective: PermissionMode, note: v.nullable(v.string()) })),
  defaultMode: PermissionMode,
  supports: v.object({ resume: v.boolean(), fork: v.boolean(), oneShot: v.boolean() }),
  /** What to know before using it. */
  note: v.nullable(v.string()),
});
export type Agent = v.InferOutput<typeof Agent>;
