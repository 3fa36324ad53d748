/**
 * Capabilities added to the runner since the first build of its protocol. A runner lists its capabilities in its first
 * message, `hello`, and the server uses no others. Each value is the consequence of a missing capability, which
 * `doctor` reports. Names are never removed or reused.
 */
export const RUNNER_CAPABILITIES = {
  cancelStart: 'a process may keep running if its end is requested while it is being started',
  serverChecks: 'a server that hangs is not replaced: run `agent-console stop`, then `serve`',
  quickRestarts: 'a server that is killed several times within seconds restarts only after up to 10 s',
  startErrors: 'a server that cannot start is reported as INTERNAL, with the reason in the message',
  privateLock: 'another user of this machine can prevent the next runner of the same build from starting',
  clearsFiles: '`stop --all` leaves tokens of agents in the data directory until the next `serve`',
} as const;

export type RunnerCapability = keyof typeof RUNNER_CAPABILITIES;

/** Capabilities added to this server or command since the first build. Nothing depends on them so far. */
export const CLIENT_CAPABILITIES: readonly string[] = [];

/** Returns, as sentences, the consequences of the capabilities that a runner lacks. */
export function missingWith(capabilities: readonly string[]): string[] {
  return Object.entries(RUNNER_CAPABILITIES).flatMap(([name, without]) =>
    capabilities.includes(name) ? [] : [without],
  );
}
