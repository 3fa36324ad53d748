/** Names every worker gets from the server's environment, beside those its agent needs. */
const COMMON = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'SHELL',
  'TZ',
  'TMPDIR',
  'SSH_AUTH_SOCK',
  'NODE_EXTRA_CA_CERTS',
];
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'];
const PREFIXES = ['LC_', 'XDG_'];

/** Marks what we start beside workers, so that what it leaves running is never taken for the person at this machine. */
const NO_WORKER = 'command';

/** Where a worker finds the console and itself; none of it is a secret. */
export interface WorkerPlace {
  baseUrl: string;
  sessionId: string;
  workerId: string;
  repositoryId: string | null;
}

/** The server's variables that may be handed on: the common ones and these; a name that ends in `*` stands for all that begin so. */
function allowed(
  server: Readonly<Record<string, string | undefined>>,
  extraNames: readonly string[],
): Record<string, string> {
  const prefixes = [...PREFIXES, ...extraNames.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1))];
  const wanted = new Set([...COMMON, ...PROXIES, ...PROXIES.map((name) => name.toLowerCase()), ...extraNames]);
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(server)) {
    if (value === undefined || name.startsWith('AGENT_CONSOLE_')) continue;
    if (wanted.has(name) || prefixes.some((prefix) => name.startsWith(prefix))) environment[name] = value;
  }
  return environment;
}

/** The whole environment of a worker: an allow-list, so that the server's own secrets never reach it. */
export function workerEnvironment(
  server: Readonly<Record<string, string | undefined>>,
  place: WorkerPlace,
  extraNames: readonly string[],
): Record<string, string> {
  return {
    ...allowed(server, extraNames),
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    AGENT_CONSOLE_BASE_URL: place.baseUrl,
    AGENT_CONSOLE_MCP_URL: `${place.baseUrl}/mcp`,
    AGENT_CONSOLE_SESSION_ID: place.sessionId,
    AGENT_CONSOLE_WORKER_ID: place.workerId,
    ...(place.repositoryId === null ? {} : { AGENT_CONSOLE_REPOSITORY_ID: place.repositoryId }),
  };
}

/** The environment of an agent that answers one question without a terminal: it has no session and gets no tools. */
export function oneShotEnvironment(
  server: Readonly<Record<string, string | undefined>>,
  extraNames: readonly string[],
): Record<string, string> {
  return { ...allowed(server, extraNames), TERM: 'dumb', NO_COLOR: '1', AGENT_CONSOLE_WORKER_ID: NO_WORKER };
}

/** The environment of a command a person saved for a repository: the same list, and nothing about a worker. */
export function commandEnvironment(server: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return { ...allowed(server, []), AGENT_CONSOLE_WORKER_ID: NO_WORKER };
}
