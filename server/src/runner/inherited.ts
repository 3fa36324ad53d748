import fs from 'node:fs';
import * as v from 'valibot';
import { InheritedListener, LastCrash } from './messages.ts';

/** What the runner hands to a server that it starts. */
export interface Inherited {
  /** Sockets to listen on with `server.listen({ fd })`, the server's own port first. */
  listeners: InheritedListener[];
  /** How the server before this one died; null after a planned start. */
  lastCrash: LastCrash | null;
  /** Tells the runner that requests are answered now. To be called once. */
  ready(): void;
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
    ready() {
      fs.writeSync(Number(readyFd), 'ready\n');
      fs.closeSync(Number(readyFd));
    },
  };
}
