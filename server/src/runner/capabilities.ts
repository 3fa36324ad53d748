/**
 * Capabilities that runners have gained since the first build of the protocol. A runner lists its capabilities in its
 * first message, `hello`, and the server uses no other capabilities. Each value describes the limitation of a runner
 * without the capability; `doctor` shows these limitations. Names are never removed or reused.
 */
export const RUNNER_CAPABILITIES = {
  cancelStart: 'a process that is ended while it starts may keep running',
  serverChecks: 'a server that hangs is not replaced: run `agent-console stop`, then `serve`',
  quickRestarts: 'a server that is killed several times within seconds is restarted only after a delay of up to 10 s',
  startErrors:
    "if the console's server cannot start, the error always has the code INTERNAL; its message contains the reason",
  privateLock: 'another user of this machine can prevent the next runner of the same build from starting',
  clearsFiles: '`stop --all` leaves tokens of agents in the data directory until the next `serve`',
  largeInputs: 'agents over ACP cannot receive prompts with large images',
} as const;

export type RunnerCapability = keyof typeof RUNNER_CAPABILITIES;

/** Capabilities that this client, which is the server or a command, sends in its `hello`. There are none so far. */
export const CLIENT_CAPABILITIES: readonly string[] = [];

/** Returns the limitations of a runner that has no other capabilities than these. */
export function missingWith(capabilities: readonly string[]): string[] {
  return Object.entries(RUNNER_CAPABILITIES).flatMap(([name, without]) =>
    capabilities.includes(name) ? [] : [without],
  );
}
