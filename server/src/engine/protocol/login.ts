import { ANSWERS } from '@agent-console/shared/models/approval';
import { afterLogin, connectionOf, type LoginMethod, type ProtocolState } from '../../domain/protocol.ts';
import type { PendingQuestion } from '../../ports/agents.ts';
import type { ApprovalRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { failTasks } from './failures.ts';

const METHOD = 'login:';

/** Returns the state of a connection that waits for a person to choose a log-in method. */
export function askingForLogin(state: ProtocolState, then: 'open' | 'ready'): ProtocolState {
  return { ...state, phase: 'login', login: { attempt: state.login?.attempt ?? 0, methodId: null, then } };
}

/**
 * Returns the question of how to log in. `reason` is the message of the agent; `command` starts the agent. For a method
 * that needs a terminal, the question contains the command that the person runs in a terminal before trying again.
 */
export function loginQuestion(
  { logins }: Pick<ProtocolState, 'logins'>,
  agent: { name: string; command: readonly string[] },
  reason: string,
): PendingQuestion {
  const own = logins.filter(({ terminal }) => terminal == null);
  const inTerminal = logins
    .filter(({ terminal }) => terminal != null)
    .map((method) => {
      const command = commandOf(method, agent.command);
      return command === null
        ? `${method.name}: log in with the agent's own program, then try again.`
        : `${method.name}: run this in a terminal, then try again:\n${command}`;
    });
  const about = own.flatMap(({ name, description }) => (description === null ? [] : [`${name}: ${description}`]));
  return {
    kind: 'login',
    text: [`${agent.name} needs a log-in: ${reason}`, ...about, ...inTerminal].join('\n\n'),
    tool: null,
    options: [
      ...own.map(({ id, name }) => ({ id: `${METHOD}${id}`, label: name, kind: 'other' as const })),
      { id: ANSWERS.retry, label: 'Try again', kind: 'other' },
      { id: ANSWERS.cancel, label: 'Cancel', kind: 'deny' },
    ],
    source: 'protocol',
  };
}

/** Returns the command that logs in with a method; null if the method needs no terminal or the command is not known. */
function commandOf({ terminal }: LoginMethod, own: readonly string[]): string | null {
  if (terminal == null || (terminal.command === null && own.length === 0)) return null;
  const { command, args, env } = terminal;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`);
  const words = [...(command === null ? own : [command]), ...args].map(quoted);
  return [...variables, ...words].join(' ');
}

/** Quotes a word for a shell if the word contains special characters. */
const quoted = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/**
 * Applies a person's answer to the question of how to log in. After the commit, the worker's watcher continues the
 * connection from its new state.
 */
export async function applyLogin(
  tx: Transaction,
  deps: ChangeDeps,
  { workerId, optionId }: Pick<ApprovalRow, 'optionId'> & { workerId: string },
): Promise<void> {
  const worker = await tx.workers.get(workerId);
  if (worker === undefined) return;
  const state = connectionOf(worker);
  if (state.phase !== 'login') return;
  await tx.workers.update(workerId, { protocol: stateFor(state, optionId ?? ANSWERS.cancel) });
  if (optionId === ANSWERS.cancel) {
    await failTasks(tx, deps, worker, 'The log-in was cancelled. To log in, send the prompt again.');
    // The queue is stopped, because each queued prompt would cause the same question.
    await tx.sessions.update(worker.sessionId, { queueHeld: true });
  }
}

function stateFor(state: ProtocolState, optionId: string): ProtocolState {
  if (optionId === ANSWERS.cancel) return { ...state, phase: 'failed' };
  if (optionId === ANSWERS.retry) return afterLogin(state);
  const { attempt = 0, then = 'open' } = state.login ?? {};
  const methodId = optionId.slice(METHOD.length);
  return { ...state, phase: 'authenticating', login: { attempt: attempt + 1, methodId, then } };
}
