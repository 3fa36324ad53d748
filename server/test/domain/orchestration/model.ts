import { ConsoleError } from '@agent-console/shared/errors';
import type { OrchestrationAgentState, RecoveryPolicy } from '@agent-console/shared/models/orchestration';
import { attemptEnd, type EndedTask } from '../../../src/domain/orchestration/outcome.ts';
import { progressOf, roleDistribution } from '../../../src/domain/orchestration/progress.ts';
import { agentsToRetry } from '../../../src/domain/orchestration/retry.ts';
import {
  type Decision,
  type ScheduledAgent,
  type ScheduledOrchestration,
  schedule,
} from '../../../src/domain/orchestration/schedule.ts';
import {
  FINAL_AGENT_STATES,
  FINAL_STATES,
  mayAgentBecome,
  nextOrchestrationState,
} from '../../../src/domain/orchestration/states.ts';
import { checkDecision, must, mustEqual } from './oracle.ts';

export type Outcome = 'completed' | 'failed' | 'cancelled' | 'unreported' | 'lost';

/** An event in a run. `at` selects one of the agents to which the event can happen. */
export type Step =
  | { do: 'end'; at: number; outcome: Outcome }
  | { do: 'progress'; at: number; value: number }
  | { do: 'crash' }
  | { do: 'continue' }
  | { do: 'pause'; interrupt: boolean }
  | { do: 'resume' }
  | { do: 'retry'; at: number }
  | { do: 'cancel' };

export interface Plan {
  orchestration: ScheduledOrchestration;
  agents: readonly ScheduledAgent[];
  onInterrupted: RecoveryPolicy;
}

interface ModelAgent extends ScheduledAgent {
  progress: number | null;
  /** Whether the agent has a process. It must never have two. */
  hasProcess: boolean;
}

const TASKS: Record<Outcome, Pick<EndedTask, 'status' | 'outcomeSource' | 'certain' | 'error'>> = {
  completed: { status: 'completed', outcomeSource: 'report', certain: true, error: null },
  unreported: { status: 'completed', outcomeSource: 'hook', certain: false, error: null },
  failed: { status: 'failed', outcomeSource: 'report', certain: true, error: null },
  cancelled: { status: 'cancelled', outcomeSource: 'person', certain: true, error: null },
  lost: {
    status: 'interrupted',
    outcomeSource: 'system',
    certain: true,
    error: { code: 'RUNNER_UNAVAILABLE', message: '' },
  },
};

/** A model of a run with the state that the engine stores. Every change is checked. */
export class ModelRun {
  readonly plan: Plan;
  readonly agents: ModelAgent[];
  state: ScheduledOrchestration['state'] = 'created';
  progress = 0;

  constructor(plan: Plan) {
    this.plan = plan;
    this.agents = plan.agents.map((agent) => ({ ...agent, attempt: 0, progress: null, hasProcess: false }));
  }

  start(): void {
    this.state = nextOrchestrationState(this.state, 'start');
    this.settle();
  }

  /** Applies a step. Does nothing if the step is not possible now. */
  take(step: Step): void {
    if (FINAL_STATES.includes(this.state)) return;
    this.change(step);
    this.settle();
  }

  /** Lets all agents succeed until the run has ended. */
  finish(): void {
    this.take({ do: 'resume' });
    this.take({ do: 'continue' });
    for (let left = this.agents.length * 2; left > 0 && this.state === 'running'; left -= 1) {
      this.take({ do: 'end', at: 0, outcome: 'completed' });
    }
    must(FINAL_STATES.includes(this.state), 'every run ends');
  }

  states(): Record<string, OrchestrationAgentState> {
    return Object.fromEntries(this.agents.map((agent) => [agent.agentId, agent.state]));
  }

  private change(step: Step): void {
    switch (step.do) {
      case 'end': {
        const agent = this.nth(step.at, ['running']);
        if (agent !== undefined) this.end(agent, step.outcome);
        break;
      }
      case 'progress': {
        const agent = this.nth(step.at, ['running']);
        if (agent !== undefined) agent.progress = step.value;
        break;
      }
      case 'crash':
        this.crash();
        break;
      case 'continue':
        if (this.state === 'running') this.runAll('interrupted');
        break;
      case 'pause':
        this.pause(step.interrupt);
        break;
      case 'resume':
        if (this.state !== 'paused') break;
        this.state = nextOrchestrationState(this.state, 'resume');
        this.runAll('paused');
        break;
      case 'retry': {
        const agent = this.nth(step.at, ['failed', 'cancelled', 'interrupted']);
        if (agent !== undefined) this.retry(agent);
        break;
      }
      case 'cancel':
        this.state = nextOrchestrationState(this.state, 'cancel');
        for (const agent of this.agents) if (!FINAL_AGENT_STATES.includes(agent.state)) this.become(agent, 'cancelled');
    }
  }

  private nth(at: number, states: readonly OrchestrationAgentState[]): ModelAgent | undefined {
    const all = this.agents.filter((agent) => states.includes(agent.state));
    return all[at % Math.max(all.length, 1)];
  }

  private end(agent: ModelAgent, outcome: Outcome): void {
    const { onInterrupted } = this.plan;
    const task = { ...TASKS[outcome], summary: null, exitCode: null };
    const end = attemptEnd(task, agent, { acceptUnreported: false, onInterrupted });
    agent.reason = end.reason;
    this.become(agent, end.retry ? 'pending' : end.state);
  }

  /**
   * Loses all processes, and recovers as the server does at its start: updates all agents, then decides once what to
   * start.
   */
  private crash(): void {
    const lost = this.agents.filter((agent) => agent.state === 'running');
    for (const agent of lost) agent.hasProcess = false;
    for (const agent of lost) this.end(agent, 'lost');
  }

  private pause(interrupt: boolean): void {
    this.state = nextOrchestrationState(this.state, 'pause');
    if (interrupt) for (const agent of this.agents) if (agent.state === 'running') this.become(agent, 'paused');
  }

  private runAll(state: 'paused' | 'interrupted'): void {
    for (const agent of this.agents) if (agent.state === state) this.run(agent);
  }

  private retry({ agentId }: ModelAgent): void {
    let names: string[] = [];
    try {
      names = agentsToRetry({ ...this.plan.orchestration, state: this.state }, this.agents, agentId);
    } catch (error) {
      if (error instanceof ConsoleError && error.code === 'CONFLICT') return;
      throw error;
    }
    must(names.includes(agentId), 'the agent itself is retried');
    for (const agent of this.agents) {
      if (!names.includes(agent.agentId)) continue;
      agent.reason = null;
      this.become(agent, 'pending');
    }
    const { skip } = this.decide();
    must(!skip.some((skipped) => names.includes(skipped.agentId)), 'no retried agent is skipped at once');
  }

  private run(agent: ModelAgent): void {
    this.become(agent, 'running');
    must(!agent.hasProcess, 'no agent runs twice');
    agent.hasProcess = true;
  }

  private become(agent: ModelAgent, to: OrchestrationAgentState): void {
    must(mayAgentBecome(agent.state, to), `no agent changes from ${agent.state} to ${to}`);
    agent.state = to;
    if (to !== 'running') agent.hasProcess = false;
  }

  private decide(): Decision {
    return schedule({ ...this.plan.orchestration, state: this.state }, this.agents);
  }

  /** Checks the scheduler's decision for the current state and applies it. Then checks the resulting state. */
  private settle(): void {
    const decision = this.decide();
    mustEqual(this.decide(), decision, 'the same state gives the same decision');
    checkDecision({ ...this.plan.orchestration, state: this.state }, this.agents, decision);
    const named = (agentId: string) => this.agents.find((agent) => agent.agentId === agentId) as ModelAgent;
    for (const { agentId, reason } of decision.skip) {
      named(agentId).reason = reason;
      this.become(named(agentId), 'skipped');
    }
    for (const agentId of decision.cancel) this.become(named(agentId), 'cancelled');
    for (const agentId of decision.start) {
      const agent = named(agentId);
      agent.attempt += 1;
      this.run(agent);
    }
    if (decision.end !== null) {
      this.state = nextOrchestrationState(this.state, decision.end.state === 'completed' ? 'complete' : 'fail');
    } else if (this.state === 'running') {
      mustEqual(
        this.decide(),
        { ...decision, start: [], skip: [], cancel: [] },
        'an applied decision leaves nothing to do',
      );
    }
    this.checkCounts();
  }

  private checkCounts(): void {
    const progress = progressOf(this.agents, this.progress);
    must(progress >= this.progress && progress <= 1, 'progress never falls');
    this.progress = progress;
    const roles = Object.values(roleDistribution(this.agents));
    for (const { total, ...states } of roles) mustEqual(sum(Object.values(states)), total, 'states add up');
    mustEqual(sum(roles.map(({ total }) => total)), this.agents.length, 'roles add up');
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
