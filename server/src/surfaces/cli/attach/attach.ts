import { setTimeout as delay } from 'node:timers/promises';
import { ConsoleError } from '@agent-console/shared/errors';
import { CLIENT_RETRY_MS, CLIENT_RETRY_PAUSE_MAX_MS } from '@agent-console/shared/limits/calls';
import { INPUT_MAX_BYTES } from '@agent-console/shared/limits/streams';
import { contractOf } from '@agent-console/shared/operations/table';
import { sessionName } from '@agent-console/shared/session-badge';
import { stripControls } from '@agent-console/shared/text';
import type { WorkerServerFrame } from '@agent-console/shared/wire';
import type { Command } from 'commander';
import { type ConsoleClient, createClient } from '../client.ts';
import { helpWith } from '../examples.ts';
import { type ConsoleAddress, findAddress } from '../find-console.ts';
import { sessionIdOf } from '../ids.ts';
import { liveTerminalOf, openTerminal, type TerminalSocket } from '../terminal-socket.ts';
import { createDetachKeys, DETACH_KEYS } from './detach-keys.ts';
import { createOutputFilter } from './output-filter.ts';
import { takeTerminal } from './terminal.ts';

export function addAttach(cli: Command): void {
  cli
    .command('attach')
    .description(`Use the terminal of a session from this terminal; ${DETACH_KEYS} detaches, and the agent continues`)
    .argument('<session>', 'Name, title or id of the session')
    .option('--worker <worker>', 'Id of an agent or terminal worker (default: the agent of the session)')
    .option('--url <url>', 'Console URL')
    .addHelpText('after', helpWith(['attach "Fix the login"']))
    .action(async (session: string, options: { worker?: string; url?: string }) => {
      const address = await findAddress(process.env, options.url ?? cli.opts<{ url?: string }>().url);
      const client = createClient({ ...address, insideWorker: false });
      await attach(client, address, await sessionIdOf(client, contractOf('sessions.get'), session), options.worker);
    });
}

async function attach(
  client: ConsoleClient,
  address: ConsoleAddress,
  sessionId: string,
  worker: string | undefined,
): Promise<void> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new ConsoleError('VALIDATION', 'attach needs a terminal. Use `agent-console logs -f` to read the output.');
  }
  const found = await client.call('sessions.get', { sessionId });
  const name = stripControls(sessionName(found));
  const isAcp = found.driver === 'acp';
  const terminals = found.workers.filter(({ type }) => type === 'terminal' || (type === 'agent' && !isAcp));
  const target = worker === undefined ? liveTerminalOf(terminals) : terminals.find(({ id }) => id.startsWith(worker));
  if (target === undefined) {
    const advice = isAcp
      ? `Its agent runs without a terminal: prompt it with \`agent-console sessions prompt ${sessionId} <prompt>\`, and read what it does with \`agent-console logs -f ${sessionId}\`.`
      : `Start its agent with \`agent-console sessions resume ${sessionId}\`.`;
    throw new ConsoleError(
      'NOT_FOUND',
      worker === undefined
        ? `"${name}" has no running terminal. ${advice}`
        : `"${name}" has no terminal ${worker}. \`agent-console sessions workers ${sessionId}\` lists its workers.`,
    );
  }
  process.stderr.write(`Attaching to "${name}". ${DETACH_KEYS} detaches; the terminal keeps running.\n`);
  const end = await connect(address, { sessionId, workerId: target.id }, `${name} (${DETACH_KEYS} detaches)`);
  process.stderr.write(`${end.replace('%', `"${name}"`)}\n`);
}

/**
 * Connects the person's terminal to a worker. Resolves to the message to print, in which `%` stands for the name of the
 * session.
 */
async function connect(
  address: ConsoleAddress,
  target: { sessionId: string; workerId: string },
  title: string,
): Promise<string> {
  const detachKeys = createDetachKeys();
  let socket: TerminalSocket | undefined;
  let end: string | undefined;
  let isDriver = false;
  const stop = (text: string) => {
    end ??= text;
    socket?.close();
  };
  const terminal = takeTerminal(title, {
    onTyped(text) {
      const { data, detaches } = detachKeys(text);
      // Typing makes this viewer the driver. The worker's terminal then has the size of this terminal, until another
      // viewer becomes the driver.
      if (!isDriver && data !== '') socket?.send({ type: 'takeDriver' });
      for (const part of partsOf(data)) socket?.send({ type: 'input', data: part });
      if (detaches) stop('Detached from %. Its terminal keeps running.');
    },
    onResized: () => socket?.send({ type: 'takeDriver' }),
    onSignal: () => stop('Detached from %. Its terminal keeps running.'),
  });

  function onFrame(frame: WorkerServerFrame): void {
    if (frame.type === 'snapshot') {
      terminal.write(`\u001b[0m\u001b[H\u001b[2J${frame.data}`);
      socket?.send({ type: 'takeDriver' });
    }
    if (frame.type === 'driver') {
      isDriver = frame.you;
      if (isDriver) socket?.send({ type: 'resize', ...terminal.size() });
    }
    if (frame.type === 'exited') stop(describeExit(frame));
  }

  try {
    let since = performance.now();
    while (end === undefined) {
      const filter = createOutputFilter();
      socket = openTerminal(address, target, { onOutput: (data) => terminal.write(filter(data)), onFrame });
      const openedAt = performance.now();
      await socket.closed.catch((error: unknown) => {
        const isTransient = error instanceof ConsoleError && error.retryable;
        if (!isTransient || performance.now() - since > CLIENT_RETRY_MS) throw error;
      });
      if (performance.now() - openedAt > CLIENT_RETRY_PAUSE_MAX_MS) since = performance.now();
      // The connection may have ended because the console is restarting. The agents continue meanwhile, so the terminal
      // is opened again after a pause.
      if (end === undefined) await delay(CLIENT_RETRY_PAUSE_MAX_MS);
    }
    return end;
  } finally {
    terminal.restore();
    socket?.close();
  }
}

function describeExit({ exitCode, signal }: Extract<WorkerServerFrame, { type: 'exited' }>): string {
  return `The process of % has ended (${signal ?? `exit code ${exitCode ?? 'unknown'}`}).`;
}

/** Splits typed or pasted text into parts of at most INPUT_MAX_BYTES. A character has at most four bytes. */
function* partsOf(text: string): Generator<string> {
  const size = Math.floor(INPUT_MAX_BYTES / 4);
  const characters = [...text];
  for (let from = 0; from < characters.length; from += size) yield characters.slice(from, from + size).join('');
}
