import { AGENTS } from './words/agents.ts';
import { ANYWHERE } from './words/anywhere.ts';
import { PEOPLE } from './words/people.ts';
import { SESSIONS } from './words/sessions.ts';
import { WORK } from './words/work.ts';
import { WORKERS } from './words/workers.ts';
import { WORKTREES } from './words/worktrees.ts';

/**
 * What the fields of requests and answers mean, for people who read the document. They stand here and not in the models,
 * because descriptions of models also go into every agent's list of tools, where each word costs its tokens each time.
 * A key is a field's name (words/anywhere.ts), or `<model or operation>.<field>` where it means something else there.
 */
export const WORDS: Readonly<Record<string, string>> = {
  ...ANYWHERE,
  ...AGENTS,
  ...PEOPLE,
  ...SESSIONS,
  ...WORK,
  ...WORKERS,
  ...WORKTREES,
};

/** `Model.field`, or of a model that another one contains: those of its fields mean the same. */
const SAME: Readonly<Record<string, string>> = {
  SessionWithTasks: 'Session',
  MeasuredWorker: 'Worker',
  TaskSummary: 'Task',
};

/** What a field means: in this place, else wherever it has this name. */
export function wordsFor(owner: string, field: string): string | undefined {
  const base = SAME[owner];
  return WORDS[`${owner}.${field}`] ?? (base === undefined ? undefined : WORDS[`${base}.${field}`]) ?? WORDS[field];
}

/** One sentence for each noun, in the order in which the page shows them. */
export const TAGS: Readonly<Record<string, string>> = {
  delegations: 'Hand work over: one call makes a worktree, a session and its agent, and gives it a prompt.',
  sessions: 'A conversation with an agent and the work around it, in a worktree or a folder.',
  tasks: 'A prompt given to a session: the only thing with an outcome.',
  approvals: 'What agents ask before they go on. Only people answer.',
  workers: 'The live parts of a session: agents and terminals, and views of the diff.',
  repositories: 'Registered git repositories.',
  worktrees: 'Checkouts in which sessions work side by side.',
  boards: 'Where worktrees, and with them their sessions, are laid out.',
  zones: 'Named areas of a board.',
  jobs: 'Background chores that answered 202: clones and new worktrees.',
  agents: 'Definitions of how agents are run.',
  mcpServers: 'Other MCP servers that sessions can be given.',
  events: 'What happened, in order, with numbers that only grow.',
  audit: 'Who called what, and how it ended.',
  settings: 'What the owner can tune.',
  users: 'People who work with this console.',
  tokens: 'Bearer secrets of people.',
  login: 'How a browser gets its token.',
  system: 'The server and its runner.',
};

/** A body to start from, for what people try first. Each one is valid. */
export const EXAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'delegations.create': {
    repositoryId: '0193a1b2-c3d4-7e5f',
    agentId: 'scripted',
    prompt: '@write hello.txt Hello from an agent\n@commit Say hello\n@report succeeded hello.txt is committed',
  },
  'repositories.create': { path: '/home/me/shop' },
  'worktrees.create': { mode: 'custom', branch: 'faster-search', baseBranch: 'main' },
  'sessions.create': { worktreeId: '0193a1b2-c3d4-7e5f', agentId: 'scripted', initialPrompt: '@say hello' },
  'sessions.prompt': { prompt: '@say and again' },
  'sessions.message': { message: 'Is it done?' },
  'sessions.report': { outcome: 'succeeded', summary: 'Search answers within 20 ms; tests pass.' },
  'workers.create': { type: 'terminal', cols: 120, rows: 40 },
  'workers.input': { data: 'git status\r' },
  'agents.create': { id: 'my-agent', name: 'My agent', command: ['my-agent', '--interactive'] },
  'tokens.create': { name: 'laptop', scopes: ['read', 'write'] },
  'settings.update': { delegationChildren: 3 },
};
