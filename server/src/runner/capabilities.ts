/**
 * What a runner can do beyond the first build that spoke its protocol. It names these in its hello; one that does not name
 * something is not asked for it, and `doctor` says what that means. Names are never removed or reused.
 */
export const RUNNER_CAPABILITIES = {
  cancelStart: 'an end that is asked for while a process is being started may leave that process running',
  serverChecks: 'a server that hangs is not replaced: `agent-console stop`, then `serve`, starts another',
  quickRestarts: 'a server that is killed several times within seconds is started again only after up to 10 s',
  startErrors: 'a server that cannot start is reported as INTERNAL, with the reason in its text',
  privateLock: 'another user of this machine can keep the next runner of that build from starting',
  clearsFiles: '`stop --all` leaves tokens of agents in the data directory until the next `serve`',
} as const;

export type RunnerCapability = keyof typeof RUNNER_CAPABILITIES;

/** What this server or command understands beyond the first build; nothing depends on it yet. */
export const CLIENT_CAPABILITIES: readonly string[] = [];

/** What is missing with a runner that has only these capabilities, as sentences. */
export function missingWith(capabilities: readonly string[]): string[] {
  return Object.entries(RUNNER_CAPABILITIES).flatMap(([name, without]) =>
    capabilities.includes(name) ? [] : [without],
  );
}
