import * as v from 'valibot';
import { described } from '../describe.ts';
import { AgentDriver } from './agent-driver.ts';
import { PermissionMode } from './session.ts';

export const AgentKindName = v.picklist([
  'claude-code',
  'codex',
  'gemini',
  'opencode',
  'scripted',
  'claude-acp',
  'codex-acp',
  'gemini-acp',
  'opencode-acp',
  'scripted-acp',
  'acp',
  'custom',
]);
export type AgentKindName = v.InferOutput<typeof AgentKindName>;

export const QueueWhenUnknown = described(
  v.picklist(['hold', 'send']),
  'What happens to a queued prompt while the activity of the agent is unknown; hold: the prompt waits; send: the prompt is typed',
);

/** Id of an agent definition in a call or a setting. */
export const AgentId = v.pipe(
  v.string(),
  v.regex(
    /^[a-z0-9][a-z0-9-]{0,62}$/,
    'an agent id may only contain lower-case letters, digits and "-", must start with a letter or digit, and must have at most 63 characters',
  ),
);

/**
 * Id of a stored agent definition. An earlier version of the console may have accepted an id that `AgentId` rejects.
 */
export const StoredAgentId = v.pipe(v.string(), v.minLength(1), v.maxLength(200));

const AgentMode = v.object({
  requested: described(PermissionMode, 'Requested permission mode'),
  effective: described(PermissionMode, 'Permission mode that the agent uses for this request'),
  note: described(v.nullable(v.string()), 'How the behavior of the agent differs from the requested mode, or null'),
});

/** An agent definition: how to run an agent. */
export const Agent = v.object({
  id: described(v.string(), 'Agent id: built-in, such as claude-code, or chosen when the agent was defined'),
  name: described(v.string(), 'Display name'),
  kind: described(AgentKindName, 'Adapter that starts, resumes, prompts and reads the agent'),
  driver: AgentDriver,
  command: described(v.array(v.string()), 'Executable and arguments, run without a shell'),
  env: described(
    v.array(v.string()),
    "Names of environment variables passed to the agent from the server's environment; values are never stored",
  ),
  queueWhenUnknown: QueueWhenUnknown,
  builtIn: described(v.boolean(), 'Whether the agent ships with the console; built-in agents cannot be changed'),
  installed: described(v.boolean(), 'Whether the executable is installed; checked on each request'),
  version: described(v.nullable(v.string()), 'Version reported by the executable, or null while unknown'),
  loggedIn: described(
    v.picklist(['yes', 'no', 'unknown']),
    'Whether the agent is logged in, inferred from its files and environment variables; unknown if they do not show it',
  ),
  modes: described(v.array(AgentMode), 'Effective permission mode for each requested permission mode'),
  defaultMode: described(PermissionMode, 'Permission mode of new sessions of the agent, if the caller requests none'),
  supports: described(
    v.object({
      resume: described(v.boolean(), 'Whether the agent can resume a conversation in a new process'),
      fork: described(v.boolean(), 'Whether the agent can start a conversation as a copy of another'),
      oneShot: described(v.boolean(), 'Whether the agent can answer one prompt without a terminal'),
      images: described(
        v.boolean(),
        'Whether prompts can contain images; for an agent over ACP, true until the agent has reported its capabilities',
      ),
    }),
    'Optional capabilities; for an agent over ACP, as reported at its last start',
  ),
  installCommand: described(v.nullable(v.string()), 'Shell command that installs the executable, or null if unknown'),
  loginCommand: described(
    v.nullable(v.string()),
    'Shell command that logs the agent in, for a terminal of the user who runs the console; null if unknown',
  ),
  note: described(v.nullable(v.string()), 'Note about using the agent, or null'),
});
export type Agent = v.InferOutput<typeof Agent>;
