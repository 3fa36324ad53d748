import { ACP_LINE_MAX_BYTES } from '@agent-console/shared/limits/acp';
import { type AgentRequest, connectionOf, type ProtocolState } from '../../domain/protocol.ts';
import type { Host } from '../../ports/host.ts';
import type { AgentProtocol, ProtocolLine } from '../../ports/protocol.ts';
import type { SessionRow, WorkerRow } from '../../ports/rows.ts';
import type { Runner } from '../../ports/runner.ts';
import type { Storage } from '../../ports/storage.ts';
import type { Audit } from '../access/audit.ts';
import { SYSTEM } from '../changes/author.ts';
import type { SharedFolders } from '../sessions/shared-folder.ts';
import type { AgentTerminals } from './agent-terminals.ts';
import { answerRequest, mustNotRepeat } from './requests.ts';

export interface AnsweringDeps extends SharedFolders {
  storage: Storage;
  runner: Pick<Runner, 'read'>;
  protocol: AgentProtocol;
  host: Pick<Host, 'readText' | 'writeText' | 'realFolder'>;
  audit: Pick<Audit, 'row'>;
  /**
   * Returns the terminals. This is a function because the processes, which own the terminals, are created after the
   * watcher that answers an agent's requests.
   */
  terminals: () => AgentTerminals;
}

/** Number of bytes of the log that are read at once. */
const READ_BYTES = 256 * 1024;

/** Answers the requests of one agent, including requests that were unanswered when the server stopped. */
export function createAnswering(
  deps: AnsweringDeps,
  agent: {
    worker: WorkerRow;
    session: SessionRow;
    /** Sends a line; repeated calls with the same id send it once. */
    send(id: string, line: string): Promise<void>;
    retryUntilDone(work: () => Promise<void>): Promise<void>;
    isOver(): boolean;
  },
) {
  const { worker, session } = agent;
  /** Parameters of the requests that this server has read, by the offset of the request in the log. */
  const params = new Map<number, unknown>();
  /**
   * Answers to requests that must not be carried out twice (`mustNotRepeat`), by the offset of the request in the log.
   */
  const changed = new Map<number, string>();
  /**
   * The requests that this server answers or has answered, by their offset in the log. `done` resolves once the answer
   * is stored.
   */
  const answers = new Map<number, { terminalId: string | null | undefined; done: Promise<void> }>();

  async function answer(request: AgentRequest): Promise<void> {
    if (agent.isOver()) return;
    const { offset } = request;
    const known = request.answer ?? changed.get(offset);
    const { line, audited } = known === undefined ? await carryOut(request) : { line: known, audited: null };
    const isChange = known === undefined && mustNotRepeat(request);
    if (isChange) {
      await storeAnswer(request, line, audited);
      changed.set(offset, line);
    }
    await agent.send(`answer-${offset}`, line);
    await storeAnswer(request, null, isChange ? null : audited);
    params.delete(offset);
    changed.delete(offset);
  }

  async function carryOut(request: AgentRequest) {
    const startedAt = performance.now();
    if (request.method === 'terminal/release') await whenUnused(request);
    const needs = { ...deps, terminals: deps.terminals() };
    const { line, refused } = await answerRequest(needs, { worker, session }, request, () => paramsOf(request));
    const call = { caller: callerOf(worker), surface: 'acp' } as const;
    const audited = refused === null ? null : await deps.audit.row(request.method, call, refused, startedAt);
    return { line, audited };
  }

  /** Ends the process of a terminal and waits until all earlier requests about that terminal are answered. */
  async function whenUnused({ offset, terminalId }: AgentRequest): Promise<void> {
    if (terminalId == null) return;
    await deps.terminals().kill(terminalId);
    const earlier = [...answers].filter(([at, each]) => at < offset && each.terminalId === terminalId);
    await Promise.all(earlier.map(([, { done }]) => done));
  }

  /**
   * Stores the answer to a request, or removes the request if `line` is null. Also stores the audit row of a refusal.
   */
  function storeAnswer(
    { offset }: AgentRequest,
    line: string | null,
    audited: Awaited<ReturnType<Audit['row']>> | null,
  ): Promise<void> {
    return deps.storage.write(SYSTEM, async (tx) => {
      const row = await tx.workers.get(worker.id);
      const state = row === undefined ? undefined : connectionOf(row);
      if (!state?.requests.some((each) => each.offset === offset)) return;
      const requests = state.requests.flatMap((each) => {
        if (each.offset !== offset) return [each];
        return line === null ? [] : [{ ...each, answer: line }];
      });
      await tx.workers.update(worker.id, { protocol: { ...state, requests } });
      if (audited !== null) await tx.audit.add(audited);
    });
  }

  async function paramsOf({ offset }: AgentRequest): Promise<unknown> {
    return params.has(offset) ? params.get(offset) : readParams(offset);
  }

  /** Reads the parameters of a request from the log; undefined if they are no longer stored. */
  async function readParams(offset: number): Promise<unknown> {
    const reader = deps.protocol.createReader(offset);
    for (let at = offset; at <= offset + ACP_LINE_MAX_BYTES; ) {
      const chunk = await deps.runner.read(worker.id, at, READ_BYTES);
      if (chunk.offset !== at || chunk.data.length === 0) return undefined;
      const [line] = reader.push(at, chunk.data, null);
      if (line !== undefined) return line.event.type === 'request' ? line.event.params : undefined;
      at += chunk.data.length;
    }
    return undefined;
  }

  return {
    /** Caches the parameters of requests that are about to be stored. */
    noteParams(lines: readonly ProtocolLine[]): void {
      for (const { event, offset } of lines) if (event.type === 'request') params.set(offset, event.params);
    },
    /** Answers each request, unless this server has answered it or is answering it. */
    answerAll({ requests }: ProtocolState): void {
      for (const request of requests) {
        const { offset, terminalId } = request;
        if (answers.has(offset)) continue;
        answers.set(offset, { terminalId, done: agent.retryUntilDone(() => answer(request)) });
      }
    },
  };
}

const callerOf = ({ id, sessionId }: WorkerRow) => ({ kind: 'worker', workerId: id, sessionId, via: 'peer' }) as const;
