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

/** Where a worker finds the console and itself; none of it is a secret. */
export interface WorkerPlace {
  baseUrl: string;
  sessionId: string;
  workerId: string;
  repositoryId: string | null;
}

/** The whole environment of a worker: an allow-list, so that the server's own secrets never reach it. */
export function workerEnvironment(
  server: Readonly<Record<string, string | undefined>>,
  place: WorkerPlace,
  /** Names; one that ends in `*` stands for all that begin so. */
  extraNames: readonly string[],
): Record<string, string> {
  const prefixes = [...PREFIXES, ...extraNames.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1))];
  const wanted = new Set([...COMMON, ...PROXIES, ...PROXIES.map((name) => name.toLowerCase()), ...extraNames]);
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(server)) {
    if (value === undefined || name.startsWith('AGENT_CONSOLE_')) continue;
    if (wanted.has(name) || prefixes.some((prefix) => name.startsWith(prefix))) environment[name] = value;
  }
  return {
    ...environment,
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    AGENT_CONSOLE_BASE_URL: place.baseUrl,
    AGENT_CONSOLE_MCP_URL: `${place.baseUrl}/mcp`,
    AGENT_CONSOLE_SESSION_ID: place.sessionId,
    AGENT_CONSOLE_WORKER_ID: place.workerId,
    ...(place.repositoryId === null ? {} : { AGENT_CONSOLE_REPOSITORY_ID: place.repositoryId }),
  };
}

/** The environment of a command a person saved for a repository: the same list, and nothing about a worker. */
export function commandEnvironment(server: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(server)) {
    if (value === undefined || name.startsWith('AGENT_CONSOLE_')) continue;
    if ([...COMMON, ...PROXIES].includes(name) || PREFIXES.some((prefix) => name.startsWith(prefix)))
      environment[name] = value;
  }
  // Marked, so that what it leaves running in the background is never taken for the person at this machine.
  return { ...environment, AGENT_CONSOLE_WORKER_ID: 'command' };
}
