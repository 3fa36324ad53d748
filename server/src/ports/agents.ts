import type { Agent, AgentKindName } from '@agent-console/shared/models/agent';
import type { ApprovalOption } from '@agent-console/shared/models/approval';
import type { McpTransport } from '@agent-console/shared/models/mcp-server';
import type { PermissionMode } from '@agent-console/shared/models/session';
import type { ActivitySource, ActivityState, Confidence, Dispute } from '@agent-console/shared/models/worker';
import type { TurnFailure } from '../domain/turns.ts';

/** What is known of a program from asking it; null where it did not answer. */
export interface Installation {
  /** E.g. `2.1.330`. */
  version: string | null;
  /** What it prints for `--help`, so that flags are chosen by what it takes. */
  help: string | null;
}

/** By what a log-in is seen, without asking anybody: any one of these is enough. */
export interface LoginSignals {
  /** Names of variables that hold a key. */
  variables: readonly string[];
  /** Files relative to HOME, and keys of theirs (JSON) of which one must be there; no keys: the file is enough. */
  files: readonly { path: string; keys: readonly string[] }[];
  /** What the program makes relative to HOME when it is first used: without it, it cannot be logged in. */
  trace: string;
}

/** A mode as it will really be, and why when it differs. */
export interface EffectivePermission {
  mode: PermissionMode;
  note: string | null;
}

/**
 * A folder in the worker's own that shows what the person's folder holds, except for some files of ours: for programs
 * that take their whole configuration from one place.
 */
export interface Overlay {
  /** The person's folder, relative to HOME. */
  of: string;
  /** Where it is shown, relative to the worker's folder. */
  into: string;
  /** Entries that are not shown, since the plan has its own or the program makes its own. */
  except: readonly string[];
  /** Subfolders made in the person's folder where they are missing, since conversations are kept there. */
  make: readonly string[];
}

/** Another MCP server that an agent is given, with the values of its variables or headers. */
export type GivenMcpServer =
  | { name: string; transport: 'stdio'; command: readonly string[]; env: Readonly<Record<string, string>> }
  | { name: string; transport: 'http' | 'sse'; url: string; headers: Readonly<Record<string, string>> };

/** Where the agent's own conversation comes from. `nativeId` is the id by which the agent itself knows it. */
export type Conversation =
  | { mode: 'new'; nativeId: string | null }
  | { mode: 'resume'; nativeId: string }
  /** A copy of `from` up to the end of its last finished turn, to be known as `nativeId` where we choose it. */
  | { mode: 'fork'; nativeId: string | null; from: string };

export interface StartRequest {
  definition: Pick<Agent, 'id' | 'command'>;
  installed: Installation;
  conversation: Conversation;
  /** Where it works, as an absolute path. */
  cwd: string;
  /**
   * Its repository: main checkout, common git directory, and the git directory of the checkout it works in, which is
   * null where that one is gone or leads elsewhere. Null for a quick session.
   */
  repository: { path: string; commonDir: string; gitDir: string | null } | null;
  /** The mode that applies, after `permission`. */
  mode: PermissionMode;
  /** What the agent is told of itself: session, worktree, repository, parent, tools. Plain text. */
  instructions: string;
  /** Folder (0700) of this worker's process alone, outside every worktree; files of the plan are written there. */
  folder: string;
  /** Folder (0700, may not exist yet) for conversations that the agent keeps where we tell it. */
  transcriptDir: string;
  /** File to which hooks append one JSON line each. */
  signalsFile: string;
  /** The console's tools: address, and the secret by which the worker is known there. */
  mcp: { url: string; token: string; timeoutMs: number };
  /** MCP servers that it gets besides; only of transports that the kind takes. */
  servers: readonly GivenMcpServer[];
  /** Texts of the person's own files that the kind asked for in `userFiles`, by that name; absent ones are missing. */
  userFiles: Readonly<Record<string, string>>;
  /** Absolute paths of all files in `userFiles` of the kind, by that name, whether they are there or not. */
  userPaths: Readonly<Record<string, string>>;
}

export interface StartPlan {
  file: string;
  args: string[];
  /** Variables of this kind, added to those every worker gets. */
  env: Record<string, string>;
  /** Files (0600) to write into `folder` before the start, by name or relative path; gone with the worker. */
  files: Record<string, string>;
  overlay: Overlay | null;
  /** The agent names this conversation itself, although its kind takes ids of ours; its hooks tell the id. */
  choosesId?: boolean;
}

/** How one kind of agent is started, resumed and prompted. Pure: it plans, others act. */
export interface AgentKind {
  id: AgentKindName;
  /** As people call it. */
  name: string;
  /** The program looked for on PATH where a definition names none; null where the kind has no program of its own. */
  program: string | null;
  /** Whether the catalogue defines an agent of this kind. Without a `program` that agent is part of the console. */
  builtIn: boolean;
  /** Characters that command the agent when a prompt begins with one of them. */
  commandCharacters: readonly string[];
  /** A first line that makes such a prompt plain text; null where no prompt needs one. */
  safePrefix: string | null;
  /** Whether a blank may be typed behind a prompt: most take it off, to none it says anything. */
  blankBehind: boolean;
  /** Names of the variables it needs to log in; a name ending in `*` stands for all that begin so. */
  environment: readonly string[];
  /** Who chooses the id of a conversation: we, at start (`ours`), the agent, which tells it later (`theirs`), or nobody. */
  nativeId: 'ours' | 'theirs' | 'none';
  /** Whether a process may begin another conversation than it was started with, of which its hooks then tell the id. */
  switchesConversation: boolean;
  /** The id we choose for a session's conversation, always the same; asked only where we choose. */
  conversationId(sessionId: string): string;
  supportsResume: boolean;
  supportsFork: boolean;
  /** Whether input is typed between the marks of a bracketed paste; else as it is. */
  bracketedPaste: boolean;
  /** The mode of a session whose creator names none. */
  defaultMode: PermissionMode;
  /** What becomes of a mode that is asked for; never higher than asked. */
  permission(requested: PermissionMode, installed: Installation): EffectivePermission;
  /** Whether `permission` or `start` looks at the program's help, so that a start waits for it. */
  readsHelp: boolean;
  /** When its hooks report for the first time in a process: as it starts, with its first turn, or never. */
  reports: 'start' | 'turn' | 'never';
  /**
   * Whether its record of a conversation tells each end of a turn, perhaps a moment after its reports and its screen: the
   * end of a turn then waits for it, so that what was said is stored before the next prompt, and an error is known.
   */
  recordsEnds: boolean;
  /** When it connects to the console's tools: as it starts, when it uses one, or never, since it is not told of them. */
  connects: 'start' | 'use' | 'never';
  /** Transports of the other MCP servers that it can be given; none where it cannot be given any. */
  mcpTransports: readonly McpTransport[];
  /** What keeps it from asking whether a folder is to be trusted; only for one that we made, with nothing in it. */
  trustFolder(cwd: string): { args: readonly string[]; env: Readonly<Record<string, string>> };
  /** What people should know before they use it; null for nothing. */
  note: string | null;
  /** Files of the person that `start` wants to read, relative to HOME. */
  userFiles: readonly string[];
  /** Names of variables that the person's own configuration of the agent refers to; it cannot log in without them. */
  namedVariables(userFiles: Readonly<Record<string, string>>): string[];
  /** By what it is seen whether the program is logged in: files and names of variables alone; null: nothing to see. */
  login: LoginSignals | null;
  /** What ends a turn that is under way, and what empties the input line. */
  keys: { interrupt: string; clearLine: string };
  /** Rejects nothing silently: UNSUPPORTED for a conversation mode it lacks, VALIDATION for an id it cannot take. */
  start(request: StartRequest): StartPlan;
  /** A run without terminal that answers one prompt on stdout, for naming things; null where there is none. */
  oneShot: ((prompt: string) => { args: string[]; env: Record<string, string> }) | null;
  /**
   * What stands in its input line as far as it is shown, a long paste perhaps as a mark of its own; null where no input
   * line is seen. Null as a whole for kinds whose screens are not read for it.
   */
  readLine: ((picture: ScreenContent) => string | null) | null;
  /**
   * The error with which the last turn on its screen ended; null where it ended otherwise or goes on. Not there for kinds
   * whose reports or records tell it.
   */
  readFailure?: (picture: ScreenContent) => string | null;
  /** Whether a conversation stands on its screen; not there for kinds that take no text before they have copied one. */
  showsConversation?: (picture: ScreenContent) => boolean;
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

/** The agents' programs on this machine. */
export interface AgentPrograms {
  /** What is known by now; where nothing is, finding out begins. */
  known(command: readonly string[]): Installation;
  /** Asks the program, at most once for each version of its file; never rejects. */
  learn(command: readonly string[]): Promise<Installation>;
  loggedIn(signs: LoginSignals | null): Promise<Agent['loggedIn']>;
}

/** Where an agent worked and since when, by which a conversation of its own naming is found. */
export interface ConversationTrace {
  cwd: string;
  /** ISO 8601: not begun before. */
  since: string;
  /** Ids known to belong to other sessions. */
  taken: ReadonlySet<string>;
}

/** Conversations as the agents keep them. */
export interface Conversations {
  /** Whether the agent can take this conversation up; true where only trying would tell. */
  exists(kind: AgentKindName, nativeId: string): Promise<boolean>;
  /** The only conversation that fits, or null where there is none or a doubt. */
  find(kind: AgentKindName, trace: ConversationTrace): Promise<string | null>;
}

export type AgentKinds = (name: Agent['kind']) => AgentKind;

/** A change in what an agent is seen to do; `offset` is the log offset behind the sign. */
export interface Transition {
  state: ActivityState;
  confidence: Confidence;
  source: ActivitySource;
  offset: number;
  /** Sources that say otherwise, where there are any. */
  disputed?: readonly Dispute[];
}

/** What an agent asks, as far as it is known. */
export interface Asked {
  text: string;
  /** The tool it wants to use, where it or its screen names one. */
  tool: string | null;
  /** Empty where the answer is free text, and as long as only its report of the question is known. */
  options: readonly ApprovalOption[];
  source: 'hook' | 'screen';
}

/** One way to answer a question, by what a person at the keyboard would press. */
export interface AnswerOption extends ApprovalOption {
  /** The keys that choose it there and then, typed as they are. */
  keys: string;
}

/** A question as it stands on a screen. */
export interface ShownQuestion {
  /** The words of the question, with what it is about. */
  text: string;
  /** The tool it wants to use, where the screen names one. */
  tool?: string;
  /** Empty where the answer is free text. */
  options: readonly AnswerOption[];
  /** Set where it only makes sure of an answer of this kind that was just given, by an answer of the same kind. */
  confirms?: AnswerOption['kind'];
}

/**
 * What was seen of an agent: a change of its activity, a prompt that it says it took, cut to TEXT_MAX_CHARS, the words
 * with which it says that it ended its turn, or the error that ended it, before that end, or, while it asks, what it asks
 * (null where that cannot be read).
 */
export type AgentObservation =
  | Transition
  | { prompt: string }
  | { words: string }
  | { failure: TurnFailure }
  | { asked: Asked | null };

/** What stands in an agent's terminal. */
export interface ScreenContent {
  /** Top to bottom as shown, without trailing blanks. */
  lines: readonly string[];
  /** The window title as last set, or null. */
  title: string | null;
  alternateScreen: boolean;
}

/** The same at a moment, after the output up to `offset`. */
export interface ScreenSnapshot extends ScreenContent {
  offset: number;
  /** Nothing was written for a moment, so that this is no half-painted screen. */
  settled: boolean;
}

/** What one line of an agent's own reports says; `nativeId` is the agent's id of the conversation it speaks of. */
export type AgentSignal = { nativeId: string | null } & (
  | { type: 'answered' | 'ended' }
  /** With `switched` the agent left another conversation for it, at the word of a person. */
  | { type: 'conversationStarted'; switched?: true }
  | { type: 'turnStarted'; prompt: string | null }
  /**
   * `prompt` where the report names what the turn was about: it may be the only sign of a short one. With `failed` an
   * error ended it, whose words are the last message.
   */
  | { type: 'turnEnded'; lastMessage: string | null; prompt?: string; failed?: true }
  | { type: 'asking'; text: string; tool: string | null }
);

/** Takes everything seen of one agent and answers the changes of its activity, in order. */
export interface AgentWatcher {
  /** Output of the agent at this offset of its log. */
  push(offset: number, data: Buffer): Transition[];
  /** Reading may go on from here after a restart: never inside an escape sequence. */
  safeOffset(): number;
  /** Its screen, whenever it settles and now and then while it does not. */
  screen(picture: ScreenSnapshot): Transition[];
  /**
   * A line of its signals file, parsed; `signals` are what the line said of this agent's own conversation, `other` is a
   * conversation of which it spoke besides, or null.
   */
  signal(line: unknown): { changes: Transition[]; signals: AgentSignal[]; other: string | null };
  /** The id of its conversation, as far as it is known. */
  nativeId(): string | null;
  /** The id of its conversation became known from elsewhere. */
  converses(nativeId: string): void;
  /** A person says what it does. */
  correct(state: ActivityState): Transition[];
  /** Its process ended. */
  end(): Transition[];
  /** Nothing new was seen until now; to be called at `dueAt`. */
  look(): Transition[];
  /** When `look` may have something to say, in milliseconds since the epoch, or null. */
  dueAt(): number | null;
  /** Whether it asks something. */
  isAsking(): boolean;
  /**
   * What it asks, while it does; null where nothing is known of it. From the screen once that has stood still since
   * the agent last said that it asks; until then what it said.
   */
  asked(): Asked | null;
  /** What a picture asks, whatever was seen before; null where it asks nothing. */
  questionIn(picture: ScreenSnapshot): ShownQuestion | null;
}

export type ActivityWatchers = (
  kind: Agent['kind'],
  from: {
    /** Where reading goes on: the safe offset that was stored. */
    offset: number;
    state: ActivityState;
    confidence: Confidence;
    /** Who said so. */
    source: ActivitySource;
    nativeId: string | null;
  },
) => AgentWatcher;

/** The files to which the agents' hooks append a line of JSON each. */
export interface SignalFiles {
  /**
   * Gives the lines of a worker's file from `offset` on, in order and as they come: parsed (undefined where a line is no
   * JSON), each with the offset behind it. The next lines wait until `onLines` resolves; it must not reject.
   */
  follow(workerId: string, offset: number, onLines: (lines: readonly SignalLine[]) => Promise<void>): SignalFollowing;
}

export interface SignalLine {
  value: unknown;
  next: number;
}

export interface SignalFollowing {
  /** Resolves when everything that is in the file now was given. */
  caughtUp(): Promise<void>;
  close(): void;
}
