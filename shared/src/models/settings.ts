import * as v from 'valibot';
import { described, wholeNumber } from '../describe.ts';
import { ORCHESTRATION_RETENTION_DAYS_MAX } from '../limits/orchestrations.ts';
import { EDITOR_TEMPLATE_MAX_CHARS } from '../limits/texts.ts';

const EditorCommand = v.pipe(
  v.string(),
  v.maxLength(EDITOR_TEMPLATE_MAX_CHARS),
  v.regex(/^[ -~\u00a0-\uffff]*$/, 'must be one line without control characters'),
);

/**
 * Rejects URLs with a scheme that browsers handle themselves, such as `https:` or `javascript:`, because such URLs
 * would open or run a page instead of an editor.
 */
const EditorUrl = v.pipe(
  v.string(),
  v.maxLength(EDITOR_TEMPLATE_MAX_CHARS),
  v.regex(
    /^(?:(?!(?:https?|file|ftp|data|blob|about|javascript|vbscript|view-source|chrome|wss?):)[a-z][a-z0-9+.-]*:\/\/\S*\{path\}\S*)?$/,
    'must begin with the scheme of an editor, such as vscode://, contain {path}, and contain no spaces',
  ),
);

/** Settings that the local owner can change. */
export const Settings = v.object({
  defaultAgentId: described(
    v.string(),
    'Id of the agent for new sessions if the call specifies no agent and the caller is not an agent',
  ),
  branchNames: described(
    v.picklist(['agent', 'slug']),
    'How branches are named; agent: by the agent, if it can answer without a terminal (costs tokens); slug: from the words of the prompt',
  ),
  delegationDepth: wholeNumber(
    'Maximum levels of sessions below a session that a person started; 1: children; 2: also their children',
    0,
    20,
  ),
  delegationChildren: wholeNumber('Maximum number of children of one session that have unfinished tasks', 0, 1_000),
  liveSessions: wholeNumber('Maximum number of live sessions, including those that are about to start', 0, 10_000),
  reminderSeconds: wholeNumber(
    'Idle time in seconds after which an agent that has not reported is reminded; 0: as soon as it is idle',
    0,
    86_400,
  ),
  idlePauseMinutes: described(
    v.pipe(v.number(), v.minValue(0), v.maxValue(10_000)),
    'Idle time in minutes (may be fractional) after which a delegated session, an agent of an orchestration, or a session marked completed or failed is paused; 0 disables this',
  ),
  orchestrationRetentionDays: wholeNumber(
    'Days after which ended orchestrations are removed; 0 disables this',
    0,
    ORCHESTRATION_RETENTION_DAYS_MAX,
  ),
  archiveOrchestrations: described(
    v.picklist(['yes', 'no']),
    'Whether the agents, events and output of an orchestration are copied to an archive folder before the orchestration is removed',
  ),
  editorCommand: described(
    EditorCommand,
    'Program and arguments that open a worktree or file in an editor, run without a shell; {path} and {line} are replaced; empty: no editor',
  ),
  editorUrl: described(
    EditorUrl,
    'URL that opens a worktree or file in an editor if editorCommand is empty, for example vscode://file{path}:{line}; empty: none',
  ),
});
export type Settings = v.InferOutput<typeof Settings>;
