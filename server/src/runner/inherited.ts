import fs from 'node:fs';
import net from 'node:net';
import type { ConsoleError } from '@agent-console/shared/errors';
import * as v from 'valibot';
import type { RunnerCapability } from './capabilities.ts';
import { InheritedListener, LastCrash } from './messages.ts';

/** What the runner hands to a server that it starts. */
export interface Inherited {
  /** Sockets to listen on with `server.listen({ fd })`, the server's own port first. */
  listeners: InheritedListener[];
  /** How the server before this one died; null after a planned start. */
  lastCrash: LastCrash | null;
  /**
   * Tells the runner that requests are answered now, and lets it check from then on that this process does not hang, if it
   * can. To be called once. @param capabilities what the runner said it can do.
   */
  ready(capabilities: readonly string[]): void;
  /** Tells the runner why this process ends before it is ready. */
  refuse(error: ConsoleError): void;
}

/**
 * Takes what the runner passed through the environment, and removes it there so that children do not see it.
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
      // In one piece: a server that hangs from the first moment is to be found out too.
      fs.writeSync(Number(readyFd), checks ? 'ready\nchecks\n' : 'ready\n');
      if (checks) answerChecks(Number(readyFd));
      else fs.closeSync(Number(readyFd));
    },
    refuse(error) {
      fs.writeSync(Number(readyFd), `error ${JSON.stringify(error.toBody())}\n`);
    },
  };
}

/** Sends each check back as it came: whoever does that turns its event loop. */
function answerChecks(fd: number): void {
  const channel = new net.Socket({ fd, readable: true, writable: true });
  channel.unref();
  channel.on('error', () => undefined);
  channel.on('data', (chunk) => channel.write(chunk));
}
