import type {
  IntegrationRow,
  OrchestrationAgentRow,
  OrchestrationRow,
  SessionRow,
  WorktreeRow,
} from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';

export interface BegunAttempt {
  sessionId: string;
  taskId: string;
  worktreeId: string;
  branch: string | null;
}

/**
 * Why an agent is not ended:
 * - `task`: its session has an open task.
 * - `line`: a person has typed an unfinished line in its terminal. `until` is the time at which to try again, in
 *   milliseconds since the epoch.
 */
type KeptAgent = { for: 'task' } | { for: 'line'; until: number };

/**
 * What becomes of the processes of a session:
 * - `stop`: they are ended. Queued prompts wait until somebody resumes the session.
 * - `restart`: its agent is ended. Queued prompts start a new agent, which resumes the conversation if it can.
 * - `keep`: they keep running.
 */
export type SessionEnd = 'stop' | 'restart' | 'keep';

/**
 * Actions of the orchestration scheduler on sessions. Implemented by the same operations that people and agents call,
 * so that the same limits, branch rules and permissions apply.
 */
export interface OrchestrationActions {
  /**
   * Starts an agent in a new session. `begun` runs in the transaction that stores session and task, and prevents the
   * start if it throws.
   * @throws LIMIT_EXCEEDED (retryable) if the agent must wait. RUNNER_UNAVAILABLE, or another retryable error, if the
   * start must be repeated. Any other error is the outcome of the attempt.
   */
  start(
    orchestration: OrchestrationRow,
    agent: OrchestrationAgentRow,
    plan: { prompt: string; base: string },
    begun: (tx: Transaction, attempt: BegunAttempt) => Promise<void>,
  ): Promise<void>;
  /**
   * Queues a prompt in the session of an agent. With this prompt, the agent continues its conversation. If the agent has
   * not received its task yet, it gets the prompt of the task instead. `begun` runs in the same transaction, with the
   * session as it was before, and prevents the continuation if it throws.
   */
  continue(
    orchestration: OrchestrationRow,
    sessionId: string,
    prompt: string,
    begun: (tx: Transaction, taskId: string, before: SessionRow) => Promise<void>,
  ): Promise<void>;
  /** Whether the agent of the session can continue its conversation in a new process. */
  canContinue(sessionId: string): Promise<boolean>;
  /** Interrupts an agent. Its conversation can be continued later. */
  interrupt(sessionId: string): Promise<void>;
  /**
   * Returns the worktree of the branch that receives the work of all agents. Creates the worktree if it is missing;
   * returns null while the worktree is being created.
   */
  prepareTarget(orchestration: OrchestrationRow, into: string): Promise<WorktreeRow | null>;
  /** Merges the branch of a worktree into the target branch `into`. The result is in the stored integration. */
  integrate(orchestration: OrchestrationRow, worktreeId: string, into: string): Promise<void>;
  /**
   * Starts an agent in a new session that resolves the conflicts of an integration, and stores the session in the
   * integration.
   * @throws CONFLICT if the orchestration has ended. Also throws the errors of `start`.
   */
  resolve(orchestration: OrchestrationRow, integration: IntegrationRow): Promise<void>;
  /** Runs the check command in a worktree and stores its result. */
  check(orchestration: OrchestrationRow, worktreeId: string): Promise<void>;
  /**
   * Ends the check that runs in the worktree of a target branch. A check that began after the end of the orchestration
   * continues, because somebody else started it.
   */
  endCheck(orchestration: OrchestrationRow, into: string): Promise<void>;
  /**
   * Ends the agent of a session. The agent's conversation continues with the next prompt. Returns why the agent keeps
   * running; null if it is being ended.
   */
  release(sessionId: string): Promise<KeptAgent | null>;
  /**
   * Ends the processes of a session. `decide` runs in the transaction that stores the end, and prevents the end if it
   * throws.
   */
  stop(sessionId: string, decide?: (tx: Transaction) => Promise<SessionEnd>): Promise<void>;
}
