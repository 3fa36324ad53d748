import fs from 'node:fs';
import net from 'node:net';
import type { ConsoleError } from '@agent-console/shared/errors';
import * as v from 'valibot';
import type { RunnerCapability } from './capabilities.ts';
import { InheritedListener, LastCrash } from './messages.ts';

/** What a server inherits from the runner that starts it. */
export interface Inherited {
  /** Sockets to listen on with `server.listen({ fd })`, the server's own port first. */
  listeners: InheritedListener[];
  /** How the previous server died; null after a planned start. */
  lastCrash: LastCrash | null;
  /**
   * Tells the runner that this server answers requests, and starts answering its checks, if the runner sends any. To be
   * called once.
   * @param capabilities those in the runner's hello.
   */
  ready(capabilities: readonly string[]): void;
  /** Tells the runner why this process ends before it is ready. */
  refuse(error: ConsoleError): void;
}

/**
 * Reads what the runner passed in the environment, and removes it from there so that children do not inherit it.
 * Undefined in a process that no runner started.
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
      // In one write, so that a server that hangs at once is detected too.
      fs.writeSync(Number(readyFd), checks ? 'ready\nchecks\n' : 'ready\n');
      if (checks) answerChecks(Number(readyFd));
      else fs.closeSync(Number(readyFd));
    },
    refuse(error) {
      fs.writeSync(Number(readyFd), `error ${JSON.stringify(error.toBody())}\n`);
    },
  };
}

/** Echoes each check, which proves that the event loop turns. */
function answerChecks(fd: number): void {
  const channel = new net.Socket({ fd, readable: true, writable: true });
  channel.unref();
  channel.on('error', () => undefined);
  channel.on('data', (chunk) => channel.write(chunk));
}
