import { ConsoleError, notFound } from '@agent-console/shared/errors';
import {
  ACP_TERMINAL_OUTPUT_BYTES,
  ACP_TERMINAL_STORED_BYTES,
  ACP_TERMINALS_MAX,
} from '@agent-console/shared/limits/acp';
import { INPUT_MAX_BYTES } from '@agent-console/shared/limits/streams';
import { LIVE_STATES } from '../../domain/states.ts';
import type { Host } from '../../ports/host.ts';
import type { SessionRow, WorkerRow } from '../../ports/rows.ts';
import type { Runner } from '../../ports/runner.ts';
import type { Screens } from '../../ports/screens.ts';
import type { Author, Storage, Transaction } from '../../ports/storage.ts';
import { SYSTEM } from '../changes/author.ts';
import { about } from '../changes/subjects.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { readTail, shownOutput } from '../output/shown-output.ts';
import type { AgentTerminals, TerminalCommand, TerminalExit } from '../protocol/agent-terminals.ts';
import { storeTerminalOutput } from '../protocol/terminal-parts.ts';
import { newWorkerRow } from './new-worker.ts';

interface AgentTerminalsDeps extends ChangeDeps {
  storage: Storage;
  runner: Pick<Runner, 'read' | 'extent' | 'dropLog' | 'gone'>;
  host: Pick<Host, 'removeWorker'>;
  screens: Pick<Screens, 'lines' | 'drop'>;
  views: { invalidate(sessionId: string): void };
  onError: (error: unknown, workerId: string) => void;
}

const SIZE = { cols: 120, rows: 36 };

export function createAgentTerminals(
  deps: AgentTerminalsDeps,
  processes: {
    launch(author: Author, session: SessionRow, worker: WorkerRow, command: TerminalCommand): Promise<WorkerRow>;
    /** Ends a worker's process and waits until the end is stored. */
    end(workerId: string): Promise<void>;
    ended(workerId: string): Promise<void>;
    refuseUnlessOpen(tx: Transaction, sessionId: string, type: 'terminal'): Promise<SessionRow>;
  },
): AgentTerminals {
  const { storage, runner } = deps;
  const find = (terminalId: string) => storage.read.workers.get(terminalId);

  async function insert(author: Author, agent: WorkerRow, id: string, outputLimit: number | null) {
    const { id: agentWorkerId, sessionId } = agent;
    const added = await storage.write(author, async (tx) => {
      const session = await processes.refuseUnlessOpen(tx, sessionId, 'terminal');
      // The terminals of an agent that has ended are released, and no terminal may be added after that.
      if ((await tx.workers.get(agentWorkerId))?.state !== 'running') {
        throw new ConsoleError('CONFLICT', 'The agent has ended, so no terminal is started.', { agentWorkerId });
      }
      if ((await tx.workers.count({ sessionId, agentWorkerId })) >= ACP_TERMINALS_MAX) {
        const message = `This agent has ${ACP_TERMINALS_MAX} terminals, which is the limit. Release one first (terminal/release).`;
        throw new ConsoleError('LIMIT_EXCEEDED', message, { limit: 'terminals', value: ACP_TERMINALS_MAX });
      }
      return tx.workers.insert(
        newWorkerRow(deps, session, { id, type: 'terminal', ...SIZE, agentWorkerId, outputLimit }),
      );
    });
    deps.views.invalidate(sessionId);
    return added;
  }

  /** Stores the output of an ended terminal in the message of its tool call, and removes the terminal's row. */
  async function removeRow({ id }: WorkerRow): Promise<void> {
    const shown = await shownOutput(deps, id, ACP_TERMINAL_STORED_BYTES);
    await storage.write(SYSTEM, async (tx) => {
      const row = await tx.workers.get(id);
      if (row === undefined) return;
      const { text: output, truncated } = shown;
      await storeTerminalOutput(tx, row, { output, truncated, ...exitOf(row) });
      await tx.workers.remove({ id });
      await tx.record({ type: 'worker.removed', ...about('worker', row), data: { workerType: row.type } });
    });
  }

  async function release(terminalId: string): Promise<void> {
    await processes.end(terminalId);
    const row = await find(terminalId);
    if (row !== undefined) await removeRow(row);
    // The output and files are removed even if no row exists, because an earlier release may have crashed after it
    // removed the row.
    await deps.screens.drop(terminalId);
    await runner.dropLog(terminalId);
    await deps.host.removeWorker(terminalId);
  }

  async function releaseAll({ id, sessionId }: Pick<WorkerRow, 'id' | 'sessionId'>): Promise<void> {
    // If the runner has ended, logs cannot be deleted. The next start of the server then releases the agent's
    // terminals.
    if (runner.gone) return;
    for (const terminal of await storage.read.workers.find({ sessionId, agentWorkerId: id })) {
      await release(terminal.id).catch((error) => deps.onError(error, terminal.id));
    }
  }

  return {
    async start(agent, terminalId, { outputLimit, ...command }) {
      const author = { actor: `session:${agent.sessionId}`, viaSessionId: agent.sessionId };
      const session = await storage.read.sessions.get(agent.sessionId);
      if (session === undefined) throw notFound('Session', agent.sessionId);
      const row = (await find(terminalId)) ?? (await insert(author, agent, terminalId, outputLimit));
      try {
        if (row.state === 'starting') await processes.launch(author, session, row, command);
        else if (row.pid === null) {
          throw new ConsoleError(
            'AGENT_UNAVAILABLE',
            row.warnings.at(-1) ?? 'The terminal was stopped before it started.',
          );
        }
      } catch (error) {
        if (!(error instanceof ConsoleError) || error.code !== 'RUNNER_UNAVAILABLE') await release(terminalId);
        throw error;
      }
    },
    async output(terminalId) {
      const row = await find(terminalId);
      if (row === undefined) throw notFound('Terminal', terminalId);
      // The state is read before the output. So if the state says that the process has ended, the output is complete.
      const exit = isLive(row) ? null : exitOf(row);
      for (
        let maxBytes = Math.min(row.outputLimit ?? ACP_TERMINAL_OUTPUT_BYTES, ACP_TERMINAL_OUTPUT_BYTES);
        ;
        maxBytes /= 2
      ) {
        const { data, truncated } = await readTail(runner, terminalId, Math.floor(maxBytes));
        const text = data.toString('utf8');
        if (maxBytes < 1 || JSON.stringify(text).length < INPUT_MAX_BYTES * 0.9) return { text, truncated, exit };
      }
    },
    async exited(terminalId) {
      await processes.ended(terminalId);
      const row = await find(terminalId);
      return row === undefined ? { exitCode: null, signal: null } : exitOf(row);
    },
    kill: processes.end,
    release,
    releaseAll,
    async releaseAbandoned() {
      const rows = await storage.read.workers.find({ agentWorkerId: { not: null } });
      for (const id of new Set(rows.map(({ agentWorkerId }) => agentWorkerId ?? ''))) {
        const agent = await storage.read.workers.get(id);
        if (agent !== undefined && !isLive(agent)) await releaseAll(agent);
      }
    },
  };
}

const isLive = ({ state }: WorkerRow) => LIVE_STATES.includes(state);
const exitOf = ({ exitCode, signal }: WorkerRow): TerminalExit => ({ exitCode, signal });
