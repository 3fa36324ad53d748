import type { Agent, AgentKindName } from '@agent-console/shared/models/agent';
import type { ApprovalOption } from '@agent-console/shared/models/approval';
import type { McpTransport } from '@agent-console/shared/models/mcp-server';
import type { PermissionMode } from '@agent-console/shared/models/session';
import type { ActivitySource, ActivityState, Confidence, Dispute } from '@agent-console/shared/models/worker';
import type { TurnFailure } from '../domain/turns.ts';

/** What a program reports about itself; null where it did not answer. */
export interface Installation {
  /** E.g. `2.1.330`. */
  version: string | null;
  /** Output of `--help`, by which flags are chosen. */
  help: string | null;
}

/** Evidence of a log-in, found without starting the program. Any one of these is enough. */
export interface LoginSignals {
  /** Names of variables that can hold a key. */
  variables: readonly string[];
  /** Files relative to HOME, with JSON keys of which one must exist. Without keys the file is enough. */
  files: readonly { path: string; keys: readonly string[] }[];
  /** A path relative to HOME that the program creates on first use: without it there is no log-in. */
  trace: string;
}

/** The mode that takes effect, and why when it is not the requested one. */
export interface EffectivePermission {
  mode: PermissionMode;
  note: string | null;
}

/**
 * A folder in the worker's folder that shows the entries of a folder of the user, some files replaced: for programs that
 * read their whole configuration from one folder.
 */
export interface Overlay {
  /** The user's folder, relative to HOME. */
  of: string;
  /** The overlay's path, relative to the worker's folder. */
  into: string;
  /** Entries left out, because the plan or the program writes its own. */
  except: readonly string[];
  /** Subfolders created in the user's folder when missing, because conversations are stored in them. */
  make: readonly string[];
}

/** An MCP server of a session besides the console's own, with the values of its variables or headers. */
export type SessionMcpServer =
  | { name: string; transport: 'stdio'; command: readonly string[]; env: Readonly<Record<string, string>> }
  | { name: string; transport: 'http' | 'sse'; url: string; headers: Readonly<Record<string, string>> };

/** Where the agent's conversation begins. `nativeId` is the agent's own id of it. */
export type Conversation =
  | { mode: 'new'; nativeId: string | null }
  | { mode: 'resume'; nativeId: string }
  /** A copy of `from` up to the end of its last finished turn. `nativeId` is null where the agent chooses the id. */
  | { mode: 'fork'; nativeId: string | null; from: string };

export interface StartRequest {
  definition: Pick<Agent, 'id' | 'command'>;
  installed: Installation;
  conversation: Conversation;
  /** The agent's working directory, as an absolute path. */
  cwd: string;
  /**
   * The repository: its main checkout, its common git directory, and the git directory of the session's checkout, which
   * is null when that checkout is missing or belongs elsewhere. Null for a quick session.
   */
  repository: { path: string; commonDir: string; gitDir: string | null } | null;
  /** The effective mode, as `permission` answered. */
  mode: PermissionMode;
  /** Instructions about session, worktree, repository, parent and tools. Plain text. */
  instructions: string;
  /** Folder (0700) of this worker's process, outside every worktree. Files of the plan are written there. */
  folder: string;
  /** Folder (0700, may not exist yet) for conversations of agents that store them where the console says. */
  transcriptDir: string;
  /** File to which hooks append one JSON line each. */
  signalsFile: string;
  /** The console's MCP server: its address and the worker's token. */
  mcp: { url: string; token: string; timeoutMs: number };
  /** Further MCP servers, only with transports that the kind supports. */
  servers: readonly SessionMcpServer[];
  /** Texts of the user's files named in the kind's `userFiles`, by that name. Absent files are missing here. */
  userFiles: Readonly<Record<string, string>>;
  /** Absolute paths of all files in the kind's `userFiles`, by that name, whether they exist or not. */
  userPaths: Readonly<Record<string, string>>;
}

export interface StartPlan {
  file: string;
  args: string[];
  /** Variables added to those of every worker. */
  env: Record<string, string>;
  /** Files (0600) to write into `folder` before the start, by relative path. They are removed with the worker. */
  files: Record<string, string>;
  overlay: Overlay | null;
  /** The agent chooses the id of this conversation, although its kind accepts ids; its hooks report it. */
  choosesId?: boolean;
}

/** How one kind of agent is started, resumed and prompted. Pure: it plans, callers act. */
export interface AgentKind {
  id: AgentKindName;
  /** Name for people. */
  name: string;
  /** The program looked for on PATH where a definition names none; null where the kind has no program of its own. */
  program: string | null;
  /** Whether the catalogue defines an agent of this kind. Without a `program` that agent is part of the console. */
  builtIn: boolean;
  /** Characters that command the agent when a prompt begins with one of them. */
  commandCharacters: readonly string[];
  /** A first line that makes such a prompt plain text; null where no prompt needs one. */
  safePrefix: string | null;
  /** Whether a space may be typed after a prompt: agents ignore it or remove it. */
  trailingSpace: boolean;
  /** Names of variables needed for the log-in; a trailing `*` matches any rest. */
  environment: readonly string[];
  /** Who chooses the id of a conversation: the console at start, the agent (which reports it later), or nobody. */
  nativeId: 'console' | 'agent' | 'none';
  /** Whether a process can switch to another conversation than it was started with; its hooks then report the id. */
  switchesConversation: boolean;
  /** The id of a session's conversation, always the same. Called only where the console chooses it. */
  conversationId(sessionId: string): string;
  supportsResume: boolean;
  supportsFork: boolean;
  /** Whether input is pasted between the marks of a bracketed paste, else typed plainly. */
  bracketedPaste: boolean;
  /** The mode of a session whose creator names none. */
  defaultMode: PermissionMode;
  /** The effective mode for a requested one; it never allows more than requested. */
  permission(requested: PermissionMode, installed: Installation): EffectivePermission;
  /** Whether `permission` or `start` reads the program's help, so that a start waits for it. */
  readsHelp: boolean;
  /** When a process's hooks report for the first time: at its start, with its first turn, or never. */
  reports: 'start' | 'turn' | 'never';
  /**
   * Whether the recorded conversation has the end of each turn, perhaps a moment after reports and screen show it. The end
   * of a turn then waits for the record, so that messages are stored before the next prompt and an error is known.
   */
  recordsTurnEnds: boolean;
  /** When it connects to the console's tools: at its start, at first use, or never, because it does not know them. */
  connects: 'start' | 'use' | 'never';
  /** Supported transports of further MCP servers. */
  mcpTransports: readonly McpTransport[];
  /** Arguments and variables that suppress the folder trust question; only for empty folders that the console made. */
  trustFolder(cwd: string): { args: readonly string[]; env: Readonly<Record<string, string>> };
  /** What people should know before they use it, or null. */
  note: string | null;
  /** Files of the user that `start` reads, relative to HOME. */
  userFiles: readonly string[];
  /** Variables that the user's configuration of the agent refers to, without which it cannot log in. */
  namedVariables(userFiles: Readonly<Record<string, string>>): string[];
  /** Evidence of a log-in; null where there is none to find. */
  login: LoginSignals | null;
  /** Keys that end the turn in progress, and that empty the input line. */
  keys: { interrupt: string; clearLine: string };
  /** @throws UNSUPPORTED for a conversation mode that the kind lacks, VALIDATION for an invalid id. */
  start(request: StartRequest): StartPlan;
  /** A run without a terminal that answers one prompt on stdout, e.g. to name a branch; null where there is none. */
  oneShot: ((prompt: string) => { args: string[]; env: Record<string, string> }) | null;
  /**
   * Reads the visible part of the input line, where a long paste may be a placeholder; null while no input line is shown.
   * The function is null for kinds whose input line is not read.
   */
  readInput: ((screen: ScreenContent) => string | null) | null;
  /**
   * Reads the error that ended the last turn from the screen; null where none did. Absent for kinds whose reports or
   * records have it.
   */
  readFailure?: (screen: ScreenContent) => string | null;
  /** Whether the screen shows a conversation. Only for kinds whose forks accept input before the copy is shown. */
  showsConversation?: (screen: ScreenContent) => boolean;
}

/** Where a kind of agent reads the MCP servers of its user, and the entry by which it reaches the console. */
export interface AgentRegistration {
  /** Absolute paths of the user's configuration files; the first is created when none exists. */
  configFiles(env: Readonly<Record<string, string | undefined>>, home: string): string[];
  /** The entry has the bare address: the console recognises the agent by its process. */
  entry:
    | { format: 'json'; container: string; value(url: string): object }
    | { format: 'toml'; container: string; values(url: string): readonly string[] };
}

/** The programs of agents. */
export interface AgentPrograms {
  /** What is known so far; starts `learn` when nothing is. */
  known(command: readonly string[]): Installation;
  /** Runs the program to find out, at most once for each version of its file. Never rejects. */
  learn(command: readonly string[]): Promise<Installation>;
  loggedIn(signals: LoginSignals | null): Promise<Agent['loggedIn']>;
}

/** Where and since when an agent worked, to find a conversation whose id the agent chose. */
export interface ConversationTrace {
  cwd: string;
  /** ISO 8601; the conversation did not begin earlier. */
  since: string;
  /** Ids of other sessions' conversations. */
  taken: ReadonlySet<string>;
}

/** Conversations that agents recorded. */
export interface Conversations {
  /** Whether the agent can resume this conversation; true where only trying would tell. */
  exists(kind: AgentKindName, nativeId: string): Promise<boolean>;
  /** The only matching conversation; null where none or several match. */
  find(kind: AgentKindName, trace: ConversationTrace): Promise<string | null>;
}

export type AgentKinds = (name: Agent['kind']) => AgentKind;

/** A change of an agent's activity; `offset` is the log offset behind the signal that caused it. */
export interface Transition {
  state: ActivityState;
  confidence: Confidence;
  source: ActivitySource;
  offset: number;
  /** Sources that contradict the state. */
  disputed?: readonly Dispute[];
}

/** The question that an agent asks, as far as it is known. */
export interface PendingQuestion {
  text: string;
  /** The tool that the question is about, where the agent or its screen names one. */
  tool: string | null;
  /** Empty for a free-text answer, and while only the agent's report of the question is known. */
  options: readonly ApprovalOption[];
  source: 'hook' | 'screen';
}

/** One answer to a question, with the keys a person would press. */
export interface AnswerOption extends ApprovalOption {
  /** The exact bytes that choose this answer. */
  keys: string;
}

/** A question on a screen. */
export interface ScreenQuestion {
  /** The question with its subject. */
  text: string;
  /** The tool that the question is about, where the screen names one. */
  tool?: string;
  /** Empty for a free-text answer. */
  options: readonly AnswerOption[];
  /** Set on a question that only confirms a previous answer of this kind, with an answer of the same kind. */
  confirms?: AnswerOption['kind'];
}

/**
 * One observation of an agent: a change of its activity, a prompt it reports as accepted (cut to TEXT_MAX_CHARS), the last
 * message it reports for a turn, the error that ended the turn (before that end), or its question while it asks (null when
 * the question cannot be read).
 */
export type AgentObservation =
  | Transition
  | { prompt: string }
  | { words: string }
  | { failure: TurnFailure }
  | { asked: PendingQuestion | null };

/** The content of an agent's terminal. */
export interface ScreenContent {
  /** Top to bottom, without trailing blanks. */
  lines: readonly string[];
  /** The window title as last set, or null. */
  title: string | null;
  alternateScreen: boolean;
}

/** The screen after the output up to `offset`. */
export interface ScreenSnapshot extends ScreenContent {
  offset: number;
  /** Nothing was written for a moment, so the screen is not half-painted. */
  settled: boolean;
}

/** One event in an agent's own reports; `nativeId` is the agent's id of the conversation it belongs to. */
export type AgentSignal = { nativeId: string | null } & (
  | { type: 'answered' | 'ended' }
  /** With `switched` a person had the agent leave another conversation for this one. */
  | { type: 'conversationStarted'; switched?: true }
  | { type: 'turnStarted'; prompt: string | null }
  /**
   * `prompt` where the report has the turn's prompt: it may be the only signal of a short turn. With `failed` an error
   * ended the turn, and the last message is its text.
   */
  | { type: 'turnEnded'; lastMessage: string | null; prompt?: string; failed?: true }
  | { type: 'asking'; text: string; tool: string | null }
);

/** Turns everything observed of one agent into changes of its activity, in order. */
export interface AgentWatcher {
  /** The agent's output at this offset of its log. */
  push(offset: number, data: Buffer): Transition[];
  /** Offset to continue from after a restart: never inside an escape sequence. */
  safeOffset(): number;
  /** The agent's screen, whenever it settles and periodically while it does not. */
  screen(snapshot: ScreenSnapshot): Transition[];
  /**
   * A parsed line of the signals file. `signals` belong to the agent's own conversation; `other` is the id of another
   * conversation that the line is about, or null.
   */
  signal(line: unknown): { changes: Transition[]; signals: AgentSignal[]; other: string | null };
  /** The id of the agent's conversation; null while unknown. */
  nativeId(): string | null;
  /** Sets the id of the conversation, found by other means. */
  setNativeId(nativeId: string): void;
  /** A person corrects the state. */
  correct(state: ActivityState): Transition[];
  /** The process ended. */
  end(): Transition[];
  /** Re-evaluates by the clock alone; to be called at `dueAt`. */
  tick(): Transition[];
  /** When `tick` may return a change, in milliseconds since the epoch, or null. */
  dueAt(): number | null;
  /** Whether the agent asks something. */
  isAsking(): boolean;
  /**
   * The current question; null while none is asked or nothing is known of it. Read from the screen once the screen has
   * settled after the agent's last report of a question, until then from that report.
   */
  asked(): PendingQuestion | null;
  /** The question on a screen, independent of earlier observations; null for none. */
  questionOn(snapshot: ScreenSnapshot): ScreenQuestion | null;
}

export type ActivityWatchers = (
  kind: Agent['kind'],
  from: {
    /** The stored safe offset to continue from. */
    offset: number;
    state: ActivityState;
    confidence: Confidence;
    /** The source of the stored state. */
    source: ActivitySource;
    nativeId: string | null;
  },
) => AgentWatcher;

/** Signals files, to which agents' hooks append lines of JSON. */
export interface SignalFiles {
  /**
   * Passes on the lines of a worker's file from `offset` on, in order and as they arrive: parsed (undefined for a line that
   * is not JSON), each with the offset behind it. Further lines wait until `onLines` resolves; it must not reject.
   */
  follow(workerId: string, offset: number, onLines: (lines: readonly SignalLine[]) => Promise<void>): SignalFollowing;
}

export interface SignalLine {
  value: unknown;
  next: number;
}

export interface SignalFollowing {
  /** Resolves when all lines now in the file were passed on. */
  caughtUp(): Promise<void>;
  close(): void;
}
