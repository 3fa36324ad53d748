import { connect } from 'node:net';

export interface Probe {
  /** Value of `performance.now()` when the connection was started. */
  at: number;
  /** Status line of the response, or the error. */
  outcome: string;
  ms: number;
}

/**
 * Interval between connections in milliseconds: short enough to cover every moment of an outage, but long enough not to
 * overload a busy machine.
 */
const EVERY_MS = process.env.LONG ? 5 : 20;

/**
 * Opens a new connection every few milliseconds, requests `/health`, and waits for the response without a timeout.
 */
export function startProber(port: number, everyMs = EVERY_MS): { stop(): Promise<Probe[]> } {
  const probes: Promise<Probe>[] = [];
  const ask = () =>
    new Promise<Probe>((resolve) => {
      const at = performance.now();
      const done = (outcome: string) => resolve({ at, outcome, ms: performance.now() - at });
      const socket = connect({ host: '127.0.0.1', port });
      let text = '';
      socket.on('connect', () =>
        socket.write(`GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`),
      );
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => done(text.split('\r\n')[0] || 'closed without an answer'));
      socket.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    });
  const timer = setInterval(() => probes.push(ask()), everyMs);
  return {
    stop() {
      clearInterval(timer);
      return Promise.all(probes);
    },
  };
}
