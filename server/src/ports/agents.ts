import type { Agent, AgentKindName } from '@agent-console/shared/models/agent';
import type { Approval, ApprovalOption, FormField } from '@agent-console/shared/models/approval';
import type { McpTransport } from '@agent-console/shared/models/mcp-server';
import type { PermissionMode } from '@agent-console/shared/models/session';
import type { ActivitySource, ActivityState, Confidence, Dispute } from '@agent-console/shared/models/worker';
import type { RequestId } from '../domain/protocol.ts';
import type { TurnFailure } from '../domain/turns.ts';
import type { LineRules } from '../domain/typing.ts';

/** Version and help text that an agent's executable prints. A field is null if the executable did not print it. */
export interface Installation {
  /** Version number, such as `2.1.330`. */
  version: string | null;
  /** Output of `--help`, from which the console learns which flags the executable accepts. */
  help: string | null;
}

/** Evidence that the user is logged in, found without starting the agent. A single variable or file is enough. */
export interface LoginSignals {
  /** Names of environment variables that can contain an API key or token. One that is set is evidence of a login. */
  variables: readonly string[];
  /**
   * Files relative to HOME, with JSON keys. A file that contains any of its keys is evidence of a login. A file without
   * listed keys is evidence if it exists.
   */
  files: readonly { path: string; keys: readonly string[] }[];
  /**
   * A path relative to HOME that the agent creates at its first use. If it does not exist, the user is not logged in.
   */
  trace: string;
}

/** The effective permission mode, and the reason if it differs from the requested mode. */
export interface EffectivePermission {
  mode: PermissionMode;
  note: string | null;
}

/**
 * A folder that an agent uses in place of one of the user's folders. It contains links to the entries of the user's
 * folder, except those in `except`. Used for agents whose whole configuration is in one folder.
 */
export interface Overlay {
  /** The user's folder to whose entries the overlay links, relative to HOME. */
  of: string;
  /** Path at which the overlay is created, relative to the worker's folder. */
  into: string;
  /**
   * Entries of the user's folder that the overlay leaves out, because the start plan or the agent creates its own
   * entries with these names.
   */
  except: readonly string[];
  /** Subfolders to create in the user's folder if they are missing, because the agent stores conversations in them. */
  make: readonly string[];
}

/** One of a session's MCP servers besides the console's own, with the values of its variables or headers. */
export type SessionMcpServer =
  | { name: string; transport: 'stdio'; command: readonly string[]; env: Readonly<Record<string, string>> }
  | { name: string; transport: 'http' | 'sse'; url: string; headers: Readonly<Record<string, string>> };

/** The conversation with which an agent starts. `nativeId` is the agent's own id of the conversation. */
export type Conversation =
  | { mode: 'new'; nativeId: string | null }
  | { mode: 'resume'; nativeId: string }
  /**
   * Start with a copy of the conversation `from`, up to the end of its last finished turn. `nativeId` is null if the
   * agent chooses the id.
   */
  | { mode: 'fork'; nativeId: string | null; from: string };

export interface StartRequest {
  definition: Pick<Agent, 'id' | 'command'>;
  installed: Installation;
  conversation: Conversation;
  /** The agent's working directory as an absolute path. */
  cwd: string;
  /** Folders outside `cwd` that the agent may also read and write, as absolute paths. */
  addedFolders: readonly string[];
  /** Folders outside `cwd` that the agent may also read, as absolute paths. They may not exist yet. */
  readFolders: readonly string[];
  /**
   * The session's repository; null for a quick session. `gitDir` is null if the checkout is missing or belongs to
   * another repository.
   */
  repository: { path: string; commonDir: string; gitDir: string | null } | null;
  /** The effective mode, as returned by `permission`. */
  mode: PermissionMode;
  /** Instructions about session, worktree, repository, parent and tools. Plain text. */
  instructions: string;
  /**
   * Folder (0700) for files of this worker's process, outside every worktree. The files of the start plan are written
   * into this folder.
   */
  folder: string;
  /**
   * Folder (0700, may not exist yet) for the conversations of agents that let the console choose where conversations
   * are stored.
   */
  transcriptDir: string;
  /** File to which hooks append one JSON line each. */
  signalsFile: string;
  /** The console's MCP server: its address and the worker's token. */
  mcp: { url: string; token: string; timeoutMs: number };
  /** The session's other MCP servers. Servers with a transport that the kind does not support are left out. */
  servers: readonly SessionMcpServer[];
  /** Contents of the files in the kind's `userFiles`, by their paths relative to HOME. Missing files are left out. */
  userFiles: Readonly<Record<string, string>>;
  /**
   * Absolute paths of all files in the kind's `userFiles`, by their paths relative to HOME, whether they exist or not.
   */
  userPaths: Readonly<Record<string, string>>;
}

export interface StartPlan {
  file: string;
  args: string[];
  /** Variables that are set in addition to the variables of every worker. */
  env: Record<string, string>;
  /** Files (0600) to write into `folder` before the start, by relative path. They are deleted when the worker ends. */
  files: Record<string, string>;
  overlay: Overlay | null;
  /**
   * Whether the agent chooses and reports the id of this conversation, although agents of this kind normally get the id
   * from the console.
   */
  choosesId?: boolean;
}

/**
 * Functions and properties of one kind of agent, with which the console starts, resumes and prompts it. The functions
 * are pure: they return plans, which their callers execute.
 */
export interface AgentKind extends LineRules {
  id: AgentKindName;
  name: string;
  /**
   * Executable to search for on PATH if the agent's definition names none; null if the kind has no executable of its
   * own.
   */
  program: string | null;
  /** npm package that contains the executable `program`; null if no package does. */
  npmPackage: string | null;
  /** Way in which the console communicates with the agent: a terminal or a protocol. */
  driver: Agent['driver'];
  /**
   * The names that an agent driven over ACP may use for each permission mode, preferred name first. For a mode without
   * names, the console sets no mode, and the agent decides when to ask for permission.
   */
  protocolModes: Readonly<Partial<Record<PermissionMode, readonly string[]>>>;
  /**
   * Reads from the agent's own fields of an ACP update whether the current turn has failed; null if the fields do not
   * show this. Needed for agents whose response to a prompt does not show whether the turn failed.
   */
  readTurnFailure?: (extra: Readonly<Record<string, unknown>>) => boolean | null;
  /**
   * Reads from an ACP error the time at which the limit of the subscription is reset, as ISO 8601; null for any other
   * error.
   */
  readQuotaReset?: (message: string, at: Date) => string | null;
  /**
   * Whether the console offers an agent of this kind even if nobody has defined one. If the kind has no `program`, the
   * agent is part of the console.
   */
  builtIn: boolean;
  /**
   * Names of the variables that the agent gets from the server's environment, for example for its login. A trailing `*`
   * matches any suffix.
   */
  environment: readonly string[];
  /**
   * Who chooses the id of a conversation: the console when it starts the agent, or the agent, which reports the id
   * later. `none` if conversations have no id.
   */
  nativeId: 'console' | 'agent' | 'none';
  /** Whether a person can make a running agent switch to another conversation. The agent's hooks report the new id. */
  switchesConversation: boolean;
  /** Returns the conversation id for a session id. Called only if the console chooses the id. */
  conversationId(sessionId: string): string;
  /**
   * Whether conversations can be resumed. For an agent driven over ACP, this is true until a process has reported its
   * capabilities.
   */
  supportsResume: boolean;
  supportsFork: boolean;
  /**
   * Whether the agent reads an image whose path a prompt names. Not used for agents driven over ACP: they report
   * whether prompts can contain images.
   */
  readsImages: boolean;
  /** Whether input is pasted with the markers of a bracketed paste. Otherwise it is typed without markers. */
  bracketedPaste: boolean;
  /** The mode of a session if its creator requests none. */
  defaultMode: PermissionMode;
  /** Returns the effective mode for a requested mode. The effective mode never allows more than the requested mode. */
  permission(requested: PermissionMode, installed: Installation): EffectivePermission;
  /**
   * Whether `permission` or `start` uses the output of `--help`. If so, an agent starts only when that output is known.
   */
  readsHelp: boolean;
  /**
   * When the hooks or the protocol of an agent first report something: when its process starts, with its first turn, or
   * never.
   */
  reports: 'start' | 'turn' | 'never';
  /**
   * Whether the recorded conversation contains the end of each turn. If so, the console reads the recorded conversation
   * before it marks a turn as ended. It then knows whether the turn failed, and stores the turn's messages before the
   * next prompt.
   */
  recordsTurnEnds: boolean;
  /** When the agent connects to the console's tools: at its start, at first use, or never. */
  connects: 'start' | 'use' | 'never';
  /** Transports that this kind supports for MCP servers other than the console's. */
  mcpTransports: readonly McpTransport[];
  /**
   * Returns arguments and variables that make the agent trust this folder, so that it does not ask whether to trust the
   * folder. Used for empty folders that the console created.
   */
  trustFolder(cwd: string): { args: readonly string[]; env: Readonly<Record<string, string>> };
  /** Information that people need before they use the agent, or null. */
  note: string | null;
  /** Files of the user that `start` reads, relative to HOME. */
  userFiles: readonly string[];
  /**
   * Returns the names of the environment variables to which the user's configuration refers and without which the agent
   * cannot log in.
   */
  namedVariables(userFiles: Readonly<Record<string, string>>): string[];
  /** Shell command that logs the user in; null if it is not known. */
  loginCommand: string | null;
  /** Evidence that the user is logged in; null if it is not known how agents of this kind log in. */
  login: LoginSignals | null;
  /** Keys that interrupt the current turn, and keys that clear the input line. */
  keys: { interrupt: string; clearLine: string };
  /**
   * @throws UNSUPPORTED for a conversation mode that the kind lacks; VALIDATION for an invalid id, or if the kind needs
   * a command and the definition has none.
   */
  start(request: StartRequest): StartPlan;
  /**
   * Plans a run of the agent without a terminal, in which it answers one prompt on stdout, e.g. to name a branch. Null
   * if this kind does not support such runs.
   */
  oneShot: ((prompt: string) => { args: string[]; env: Record<string, string> }) | null;
  /**
   * Returns the visible part of the text in the input line; null if no input line is shown. The agent may show a
   * placeholder instead of a long pasted text. The function itself is null in kinds whose input line the console cannot
   * read.
   */
  readInput: ((screen: ScreenContent) => string | null) | null;
  /**
   * Reads from the screen the error that ended the last turn. Missing in kinds whose agents report or record such
   * errors.
   */
  readFailure?: (screen: ScreenContent) => string | null;
  /**
   * Whether the screen shows a conversation. Needed only for kinds whose forks accept input too early: before they show
   * the copied conversation.
   */
  showsConversation?: (screen: ScreenContent) => boolean;
}

/** Data for registering the console with agents of a kind: the user's configuration files, and the entry to add. */
export interface AgentRegistration {
  /** Returns the absolute paths of the user's configuration files. The first is created if none exists. */
  configFiles(env: Readonly<Record<string, string | undefined>>, home: string): string[];
  /**
   * The entry to add to a configuration file, so that agents connect to the console. It contains only the console's
   * address, because the console recognizes an agent by its process.
   */
  entry:
    | { format: 'json'; container: string; value(url: string): object }
    | { format: 'toml'; container: string; values(url: string): readonly string[] };
}

/** Reads versions and help texts of agent executables. */
export interface AgentPrograms {
  /** Returns the last result of `learn` for the executable. Also calls `learn`, without waiting for its result. */
  known(command: readonly string[], readsHelp?: boolean): Installation;
  /**
   * Runs the executable with `--version` and, unless `readsHelp` is false, with `--help`. The result is reused until
   * the executable file changes, or for PROGRAM_RETRY_MS if the program did not answer in time. Never rejects.
   * `readsHelp` must be false for adapters without a help text, because they would wait for a client instead.
   */
  learn(command: readonly string[], readsHelp?: boolean): Promise<Installation>;
  loggedIn(signals: LoginSignals | null): Promise<Agent['loggedIn']>;
}

/** The cwd and time of an agent's work, to find a conversation whose id the agent chose. */
export interface ConversationTrace {
  cwd: string;
  /** Earliest time at which the conversation can have begun, ISO 8601. */
  since: string;
  /** Ids of conversations that belong to other sessions. The search does not return them. */
  taken: ReadonlySet<string>;
}

/** Conversations that agents recorded. */
export interface Conversations {
  /** Whether the agent can resume this conversation; true if this cannot be determined without trying. */
  exists(kind: AgentKindName, nativeId: string): Promise<boolean>;
  /** Returns the id of the conversation that matches the trace; null if none or several match. */
  find(kind: AgentKindName, trace: ConversationTrace): Promise<string | null>;
}

export type AgentKinds = (name: Agent['kind']) => AgentKind;

/** A change of an agent's activity. `offset` is the log offset after the signal that caused the change. */
export interface Transition {
  state: ActivityState;
  confidence: Confidence;
  source: ActivitySource;
  offset: number;
  /** Sources that report another state than `source`, if any. */
  disputed?: readonly Dispute[];
}

/** The question that an agent asks, as far as it is known. */
export interface PendingQuestion {
  /**
   * Id of the agent's request, if the agent asks over a protocol. Such an agent may have several questions open at
   * once.
   */
  requestId?: RequestId;
  /** Kind of the agent's request. Undefined means `question`. */
  kind?: Approval['kind'];
  /** Values that a form asks for. */
  fields?: FormField[];
  /** For a question of kind `link`: the page to open, and the agent's id of the link. */
  url?: string;
  linkId?: string;
  text: string;
  /** The tool that the question is about, if the agent or its screen names one. */
  tool: string | null;
  /** The agent's id of the tool call that the question is about, if the agent asks over a protocol. */
  callId?: string;
  /** Answers to choose from. Empty for a free-text answer, and until the answers can be read from the screen. */
  options: readonly ApprovalOption[];
  source: 'protocol' | 'hook' | 'screen';
}

/** One answer to a question, with the keys a person would press. */
export interface AnswerOption extends ApprovalOption {
  /** The exact bytes that choose this answer. */
  keys: string;
}

export interface ScreenQuestion {
  /** Text of the question and of its subject, e.g. a command. */
  text: string;
  /** The tool that the question is about, if the screen names one. */
  tool?: string;
  /** Answers to choose from. Empty for a free-text answer. */
  options: readonly AnswerOption[];
  /** The kind of the previous answer, if the agent asks to confirm it. Only an option of this kind confirms it. */
  confirms?: AnswerOption['kind'];
}

/**
 * An observation of an agent:
 * - a change of activity;
 * - an accepted prompt, cut to TEXT_MAX_CHARS;
 * - the last message of a turn;
 * - the error that ended a turn, observed before the end of the turn;
 * - the question while the agent asks, or null if it cannot be read.
 */
export type AgentObservation =
  | Transition
  | { prompt: string }
  | { words: string }
  | { failure: TurnFailure }
  | { asked: PendingQuestion | null };

export interface ScreenContent {
  /** Lines of the screen from top to bottom, each without trailing spaces. */
  lines: readonly string[];
  /** The window title as last set, or null. */
  title: string | null;
  alternateScreen: boolean;
}

/** The agent's activity that a title, progress sequence or screen shows. */
export interface Reading {
  state: ActivityState;
  confidence: Confidence;
}

/** The agent's activity that a screen shows, with the question on the screen, if any. */
export interface ScreenReading extends Reading {
  question: ScreenQuestion | null;
}

/** State of OSC 9;4: 0 none, 1 percent, 2 error, 3 busy without a number, 4 paused. */
export type ProgressState = 0 | 1 | 2 | 3 | 4;

/**
 * The functions that read the activity of one kind of agent. Every kind can read titles; the other members are
 * optional.
 */
export interface WatchedKind {
  /** Reads a terminal title; null if the title shows no activity. */
  readTitle(title: string): Reading | null;
  /**
   * Meanings of those terminal progress sequences that agents of this kind use differently from other agents. With the
   * state `unknown`, the sequence shows no activity.
   */
  readProgress?: Readonly<Partial<Record<ProgressState, Reading>>>;
  /** Reads a screen; null if the screen shows no activity. */
  readScreen?(screen: ScreenContent): ScreenReading | null;
  /** Reads a line of the signals file; empty if the line contains no known signal. */
  readSignal?(line: unknown): AgentSignal[];
}

/** The content of a screen that has drawn the output up to `offset`. */
export interface ScreenSnapshot extends ScreenContent {
  offset: number;
  /** Whether the agent has printed nothing for a moment. The screen is then not half-painted. */
  settled: boolean;
}

/** An event in an agent's own reports. `nativeId` is the agent's id of the event's conversation. */
export type AgentSignal = { nativeId: string | null } & (
  | { type: 'answered' | 'ended' }
  /** `switched` is set if a person switched the running agent to this conversation. */
  | { type: 'conversationStarted'; switched?: true }
  | { type: 'turnStarted'; prompt: string | null }
  /**
   * `prompt` is the turn's prompt, if reported. For a short turn, this may be the only report that the turn had begun.
   * With `failed`, the last message is the error that ended the turn.
   */
  | { type: 'turnEnded'; lastMessage: string | null; prompt?: string; failed?: true }
  | { type: 'asking'; text: string; tool: string | null }
);

/** Converts all observations of one agent to changes of its activity, in order. */
export interface AgentWatcher {
  /** Processes a chunk of the agent's output. `offset` is the log offset of the first byte. */
  push(offset: number, data: Buffer): Transition[];
  /** Returns the offset at which reading continues after a restart. It is never inside an escape sequence. */
  safeOffset(): number;
  /**
   * Processes the agent's screen. Must be called whenever the agent stops printing, and periodically while it prints.
   */
  screen(snapshot: ScreenSnapshot): Transition[];
  /**
   * Processes a line of the signals file. `other` is the id of the line's conversation if that is not the agent's
   * current conversation, otherwise null.
   */
  signal(line: unknown): { changes: Transition[]; signals: AgentSignal[]; other: string | null };
  /** Returns the id of the agent's conversation; null while unknown. */
  nativeId(): string | null;
  /** Sets the id of the agent's conversation. Used if the id was found in the recorded conversations. */
  setNativeId(nativeId: string): void;
  /** Replaces the agent's activity by the one that a person entered as a correction. */
  correct(state: ActivityState): Transition[];
  /** Must be called when the agent's process has ended. */
  end(): Transition[];
  /** Determines the agent's activity again, as time may change it. Must be called at the time that `dueAt` returns. */
  tick(): Transition[];
  /**
   * Returns the time at which `tick` may return a change, in milliseconds since the epoch; null if time causes no
   * change.
   */
  dueAt(): number | null;
  isAsking(): boolean;
  /**
   * Returns the current question; null while no question is asked or nothing is known about it. The question comes from
   * the agent's last report until the agent stops printing, and afterwards from the screen.
   */
  asked(): PendingQuestion | null;
  /** Returns the question on a screen; null if the screen shows none. Earlier observations are not used. */
  questionOn(snapshot: ScreenSnapshot): ScreenQuestion | null;
}

export type ActivityWatchers = (
  kind: Agent['kind'],
  from: {
    /**
     * Log offset at which the watcher continues to read output: the stored result of an earlier call of `safeOffset`.
     */
    offset: number;
    state: ActivityState;
    confidence: Confidence;
    /** The source from which the stored activity (`state`) was determined. */
    source: ActivitySource;
    nativeId: string | null;
  },
) => AgentWatcher;

/** Files to which agents' hooks append their signals, one line of JSON each. */
export interface SignalFiles {
  /**
   * Passes the lines of a worker's file to `onLines` in order, starting at `offset`. Further lines wait until `onLines`
   * resolves.
   */
  follow(workerId: string, offset: number, onLines: (lines: readonly SignalLine[]) => Promise<void>): SignalFollowing;
}

export interface SignalLine {
  value: unknown;
  next: number;
}

export interface SignalFollowing {
  /** Resolves when every line that was in the file at the time of the call has been passed to `onLines`. */
  caughtUp(): Promise<void>;
  close(): void;
}
