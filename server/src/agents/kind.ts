import { ConsoleError } from '@agent-console/shared/errors';
import type { Agent } from '@agent-console/shared/models/agent';
import type { PermissionMode } from '@agent-console/shared/models/session';
import type { ActivityState, Confidence } from '@agent-console/shared/models/worker';
import type {
  EffectivePermission,
  Installation,
  LoginSigns,
  StartPlan,
  StartRequest,
} from '../operations/ports/agents.ts';

/** What a sign says about the agent. */
export interface Reading {
  state: ActivityState;
  confidence: Confidence;
}

/** What stands in an agent's terminal. */
export interface ScreenPicture {
  /** Top to bottom as shown, without trailing blanks. */
  lines: readonly string[];
  /** The window title as last set, or null. */
  title: string | null;
  alternateScreen: boolean;
}

/** One way to answer a question, by what a person at the keyboard would press. */
export interface AnswerOption {
  /** Names the option as long as the question stands, e.g. `1`, `allow`, `deny`. */
  id: string;
  label: string;
  /** What it does, for colours and shortcuts. */
  kind: 'allow' | 'deny' | 'other';
  /** The keys that choose it, typed as they are. */
  keys: string;
}

/** Something the agent asks its user, as read off the screen. */
export interface Question {
  /** The words of the question, with what it is about. */
  text: string;
  /** The tool it wants to use, where the screen names one. */
  tool?: string;
  /** Empty where the answer is free text. */
  options: readonly AnswerOption[];
}

/** A look at the screen: what it says, and what is asked where something is. */
export interface ScreenReading extends Reading {
  question: Question | null;
}

/** What one line of an agent's own reports says; `nativeId` is the agent's id of the conversation it speaks of. */
export type Signal = { nativeId: string | null } & (
  | { type: 'conversationStarted' }
  | { type: 'turnStarted'; prompt: string | null }
  /** `prompt` where the report names what the turn was about: it may be the only sign of a short one. */
  | { type: 'turnEnded'; lastMessage: string | null; prompt?: string }
  | { type: 'asking'; text: string; tool: string | null }
  | { type: 'answered' }
  | { type: 'ended' }
);

/** How one kind of agent is started, resumed, prompted and read. Pure: it plans and reads, others act. */
export interface AgentKind {
  id: Agent['kind'];
  /** As people call it. */
  name: string;
  /** The program looked for on PATH where a definition names none; null: part of the product. */
  program: string | null;
  /** Characters that command the agent when a prompt begins with one of them. */
  commandCharacters: readonly string[];
  /** A first line that makes such a prompt plain text; null where no prompt needs one. */
  safePrefix: string | null;
  /** Whether it takes the blanks off the end of a prompt, so that one may be typed there. */
  trimsBlanks: boolean;
  /** Names of the variables it needs to log in; a name ending in `*` stands for all that begin so. */
  environment: readonly string[];
  /** Who chooses the id of a conversation: we, at start (`ours`), the agent, which tells it later (`theirs`), or nobody. */
  nativeId: 'ours' | 'theirs' | 'none';
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
  /** When it connects to the console's tools: as it starts, when it uses one, or never, since it is not told of them. */
  connects: 'start' | 'use' | 'never';
  /** What keeps it from asking whether a folder is to be trusted; only for one that we made, with nothing in it. */
  trustFolder(cwd: string): { args: readonly string[]; env: Readonly<Record<string, string>> };
  /** What people should know before they use it; null for nothing. */
  note: string | null;
  /** Files of the person that `start` wants to read, relative to HOME. */
  userFiles: readonly string[];
  /** Whether the program is logged in, by files and names of variables alone. */
  /** Names of variables that the person's own configuration of the agent refers to; it cannot log in without them. */
  namedVariables(userFiles: Readonly<Record<string, string>>): string[];
  login: LoginSigns | null;
  /** What ends a turn that is under way, and what empties the input line. */
  keys: { interrupt: string; clearLine: string };
  /** Rejects nothing silently: UNSUPPORTED for a conversation mode it lacks, VALIDATION for an id it cannot take. */
  start(request: StartRequest): StartPlan;
  /** A run without terminal that answers one prompt on stdout, for naming things; null where there is none. */
  oneShot: ((prompt: string) => { args: string[]; env: Record<string, string> }) | null;
  /** What a terminal title says; null when it says nothing about activity. */
  readTitle(title: string): Reading | null;
  /** What a progress sequence (OSC 9;4) says where it differs from the general meaning, by its state 0 to 4. */
  readProgress: Readonly<Partial<Record<0 | 1 | 2 | 3 | 4, Reading>>>;
  /** What the screen says; null when it says nothing about activity. */
  readScreen(picture: ScreenPicture): ScreenReading | null;
  /**
   * What stands in its input line as far as it is shown, a long paste perhaps as a mark of its own; null where no input
   * line is seen. Null as a whole for kinds whose screens are not read for it.
   */
  readLine: ((picture: ScreenPicture) => string | null) | null;
  /** What a line of the signals file says; nothing for lines that are not understood. */
  readSignal(line: unknown): Signal[];
}

/** The programs that belong to the product, as absolute paths. */
export interface Programs {
  scriptedAgent: string;
}

/** The refusal of a kind that cannot continue or copy a conversation. */
export function unsupportedConversation(kind: string, mode: 'resume' | 'fork'): ConsoleError {
  const hint =
    mode === 'resume'
      ? 'start a new session and tell it what it needs to know'
      : 'use a subsession, which starts fresh';
  return new ConsoleError('UNSUPPORTED', `A ${kind} agent cannot ${mode} a conversation; ${hint}`, { kind, mode });
}
