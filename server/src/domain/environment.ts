/**
 * Environment variables of the server that every worker inherits, besides `PROXIES` and the variables whose names begin
 * with one of `PREFIXES`. Each agent kind adds names of its own.
 */
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

/**
 * Worker id of commands and one-shot agents, which belong to no worker. Processes that they leave running keep this id,
 * so the console never treats them as the local owner.
 */
const NO_WORKER = 'command';

/** Values in a worker's environment that its processes need to call the console. None of them is secret. */
export interface WorkerIdentity {
  baseUrl: string;
  sessionId: string;
  workerId: string;
  repositoryId: string | null;
  /** Folder that the agents of the session's orchestration share, or null. */
  sharedFolder: string | null;
}

/** Returns the environment variables of the server that a worker may inherit. A name that ends in `*` is a prefix. */
function inherited(
  server: Readonly<Record<string, string | undefined>>,
  extraNames: readonly string[],
): Record<string, string> {
  const prefixes = [...PREFIXES, ...extraNames.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1))];
  const names = new Set([...COMMON, ...PROXIES, ...PROXIES.map((name) => name.toLowerCase()), ...extraNames]);
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(server)) {
    if (value === undefined || name.startsWith('AGENT_CONSOLE_')) continue;
    if (names.has(name) || prefixes.some((prefix) => name.startsWith(prefix))) environment[name] = value;
  }
  return environment;
}

/**
 * Returns the complete environment of a worker. Only listed variables are inherited, so that the environment contains
 * no secrets of the server.
 */
export function workerEnvironment(
  server: Readonly<Record<string, string | undefined>>,
  worker: WorkerIdentity,
  extraNames: readonly string[],
): Record<string, string> {
  return {
    ...inherited(server, extraNames),
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    AGENT_CONSOLE_BASE_URL: worker.baseUrl,
    AGENT_CONSOLE_MCP_URL: `${worker.baseUrl}/mcp`,
    AGENT_CONSOLE_SESSION_ID: worker.sessionId,
    AGENT_CONSOLE_WORKER_ID: worker.workerId,
    ...(worker.repositoryId === null ? {} : { AGENT_CONSOLE_REPOSITORY_ID: worker.repositoryId }),
    ...(worker.sharedFolder === null ? {} : { AGENT_CONSOLE_SHARED_DIR: worker.sharedFolder }),
  };
}

/** Returns the environment of an agent that answers a single question without a terminal, session or tools. */
export function oneShotEnvironment(
  server: Readonly<Record<string, string | undefined>>,
  extraNames: readonly string[],
): Record<string, string> {
  return { ...inherited(server, extraNames), TERM: 'dumb', NO_COLOR: '1', AGENT_CONSOLE_WORKER_ID: NO_WORKER };
}

/** Returns the environment of a setup, cleanup or check command of a repository. */
export function commandEnvironment(server: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return { ...inherited(server, []), AGENT_CONSOLE_WORKER_ID: NO_WORKER };
}
