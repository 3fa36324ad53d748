import fs from 'node:fs';
import net from 'node:net';
import type { ConsoleError } from '@agent-console/shared/errors';
import * as v from 'valibot';
import type { RunnerCapability } from './capabilities.ts';
import { InheritedListener, LastCrash } from './messages.ts';

/** Sockets and data that the runner passes to a server that it starts. */
export interface Inherited {
  /** Sockets to listen on with `server.listen({ fd })`, starting with the server's own port. */
  listeners: InheritedListener[];
  /** The crash of the previous server; null if the previous server was stopped as planned. */
  lastCrash: LastCrash | null;
  /**
   * Notifies the runner, once, that this server answers requests. Afterwards, answers the checks with which the runner
   * detects a hang, if the runner sends any.
   * @param capabilities the runner's capabilities, as listed in its `hello`.
   */
  ready(capabilities: readonly string[]): void;
  /** Reports to the runner why this process ends before it is ready. */
  refuse(error: ConsoleError): void;
}

/**
 * Reads the runner's data for this server from the environment, and removes the data, so that children do not inherit
 * it. Returns undefined if no runner started this process.
 */
export function takeInherited(env: NodeJS.ProcessEnv = process.env): Inherited | undefined {
  const { AGENT_CONSOLE_LISTEN: listen, AGENT_CONSOLE_READY_FD: readyFd, AGENT_CONSOLE_LAST_CRASH: crash } = env;
  delete env.AGENT_CONSOLE_LISTEN;
  delete env.AGENT_CONSOLE_READY_FD;
  delete env.AGENT_CONSOLE_LAST_CRASH;
  if (listen === undefined || readyFd === undefined) return undefined;
  const listeners = v.parse(v.array(InheritedListener), JSON.parse(listen));
  return {
    listeners: listeners.sort((a, b) => Number(b.primary) - Number(a.primary)),
    lastCrash: crash === undefined ? null : v.parse(LastCrash, JSON.parse(crash)),
    ready(capabilities) {
      const checks = capabilities.includes('serverChecks' satisfies RunnerCapability);
      // `ready` and `checks` are written with one call, so that the runner begins its checks even if the server hangs
      // at once.
      fs.writeSync(Number(readyFd), checks ? 'ready\nchecks\n' : 'ready\n');
      if (checks) answerChecks(Number(readyFd));
      else fs.closeSync(Number(readyFd));
    },
    refuse(error) {
      fs.writeSync(Number(readyFd), `error ${JSON.stringify(error.toBody())}\n`);
    },
  };
}

/** Sends each check back to the runner. This proves that the event loop of the server is not blocked. */
function answerChecks(fd: number): void {
  const channel = new net.Socket({ fd, readable: true, writable: true });
  channel.unref();
  channel.on('error', () => undefined);
  channel.on('data', (chunk) => channel.write(chunk));
}
