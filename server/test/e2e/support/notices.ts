import { shortId } from '@agent-console/shared/ids';
import type { Notice } from '@agent-console/shared/models/notice';
import { type NoticeItem, parseNoticeBlock } from '@agent-console/shared/notice-block';
import { expect } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import { type AgentHandle, transcriptOf } from './root.ts';

export type Delegated = Awaited<ReturnType<typeof delegateTo>>;

export function delegateTo(
  parent: AgentHandle,
  prompt: string,
  more: { notifyOnCompletion?: boolean; title?: string } = {},
) {
  return parent.client.call('delegations.create', { prompt, ...more });
}

/** Expected fields of the notice that a parent gets when the task of its child ends. */
interface Told {
  status: string;
  outcomeSource: string;
  certain: boolean;
  summary: string | RegExp;
}

/**
 * A way in which a task ends: the prompt of the task, an optional action of the test, e.g. a kill, and the notice about
 * the end.
 */
export interface Ending extends Told {
  prompt: string;
  act?: (c: TestApp, child: Delegated) => Promise<unknown>;
}

const LAST = '@sleep 600000';

const agentOf = async (c: TestApp, child: Delegated) =>
  (await c.client.call('sessions.get', { sessionId: child.sessionId })).workers.find(
    (worker) => worker.id === child.workerId,
  );

/** Waits until the agent has accepted its prompt and is working. */
export const atWork = (c: TestApp, child: Delegated) =>
  c.until('an agent at work', async () => (await agentOf(c, child))?.activityState === 'active');

/** Returns all ways in which a task can end. `killAgent` kills the process of a child's agent. */
export function endings(killAgent: (child: Delegated) => Promise<void> | void): Record<string, Ending> {
  return {
    'a report of success': {
      prompt: '@report succeeded all is well',
      status: 'completed',
      outcomeSource: 'report',
      certain: true,
      summary: 'all is well',
    },
    'a report of failure': {
      prompt: '@report failed it cannot be done',
      status: 'failed',
      outcomeSource: 'report',
      certain: true,
      summary: 'it cannot be done',
    },
    'exit 0': { prompt: '@exit 0', status: 'completed', outcomeSource: 'exit', certain: true, summary: /completed/ },
    'exit 1': {
      prompt: '@exit 1',
      status: 'failed',
      outcomeSource: 'exit',
      certain: true,
      summary: /exited with code 1/,
    },
    'an error of its model': {
      prompt: '@fail the backend is on fire',
      status: 'failed',
      outcomeSource: 'transcript',
      certain: true,
      summary: /the backend is on fire/,
    },
    'a crash': { prompt: '@crash', status: 'failed', outcomeSource: 'exit', certain: true, summary: /SIGKILL/ },
    'a kill from outside': {
      prompt: LAST,
      async act(c, child) {
        await atWork(c, child);
        await killAgent(child);
      },
      status: 'failed',
      outcomeSource: 'exit',
      certain: true,
      summary: /SIGKILL/,
    },
    'a stop by a person': {
      prompt: LAST,
      async act(c, child) {
        await atWork(c, child);
        await c.client.call('sessions.stop', { sessionId: child.sessionId });
      },
      status: 'cancelled',
      outcomeSource: 'person',
      certain: true,
      summary: /stopped/,
    },
    'a stop before it had begun': {
      prompt: LAST,
      act: (c, child) => c.client.call('sessions.stop', { sessionId: child.sessionId }),
      status: 'cancelled',
      outcomeSource: 'person',
      certain: true,
      summary: /stopped/,
    },
    'a pause by a person': {
      prompt: LAST,
      async act(c, child) {
        await atWork(c, child);
        await c.client.call('sessions.pause', { sessionId: child.sessionId });
      },
      status: 'interrupted',
      outcomeSource: 'person',
      certain: true,
      summary: /paused/,
    },
    'a cancellation of its task': {
      prompt: LAST,
      async act(c, child) {
        await atWork(c, child);
        await c.client.call('tasks.cancel', { taskId: child.taskId });
      },
      status: 'cancelled',
      outcomeSource: 'person',
      certain: true,
      summary: /cancelled/,
    },
  };
}

/** Returns functions that check which notices a parent has, and how the console typed them into the parent's agent. */
export function noticesIn(console: () => TestApp, parentOf: () => AgentHandle) {
  async function noticesOf(sessionId: string): Promise<Notice[]> {
    const { data, total } = await console().client.call('sessions.notices', { sessionId, limit: 500 });
    expect(data).toHaveLength(total);
    return data;
  }

  /** Returns the notices that were typed to a parent's agent, in order. */
  function typedTo(sessionId: string): NoticeItem[] {
    return transcriptOf(console(), sessionId)
      .filter((entry) => entry.role === 'user')
      .flatMap((entry) => parseNoticeBlock(entry.text ?? '') ?? []);
  }

  /** Waits until the notice of a child's end has this state, and returns all notices about the child. */
  async function toldAbout(child: Delegated, to = parentOf(), state = 'delivered'): Promise<Notice[]> {
    return console().until(`a ${state} notice`, async () => {
      const about = (await noticesOf(to.sessionId)).filter((notice) => notice.about.sessionId === child.sessionId);
      return about.some((notice) => notice.kind === 'ended' && notice.state === state) && about;
    });
  }

  function expectOne(notices: Notice[], child: Delegated, told: Told, state = 'delivered'): void {
    const { status, outcomeSource, certain, summary } = told;
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatchObject({ kind: 'ended', status, outcomeSource, certain, state });
    expect(notices[0]?.about).toMatchObject({ taskId: child.taskId, delegationId: child.delegationId });
    expect(notices[0]?.summary).toMatch(summary);
  }

  /** Waits until all notices are delivered, and expects that each was typed into the terminal once, oldest first. */
  async function expectTypedOnceInOrder(to: AgentHandle): Promise<void> {
    await console().until('the delivery of all', async () => {
      const states = (await noticesOf(to.sessionId)).map((notice) => notice.state);
      return !states.includes('pending') && !states.includes('delivering');
    });
    const typed = typedTo(to.sessionId).map((item) => `${item.kind} ${item.id}`);
    const stored = (await noticesOf(to.sessionId)).filter((notice) => notice.state === 'delivered');
    expect(typed).toEqual(stored.map((notice) => `${notice.kind} ${shortId(notice.about.sessionId)}`));
  }

  return { noticesOf, typedTo, toldAbout, expectOne, expectTypedOnceInOrder };
}

export function told(status: string, outcomeSource: string): Omit<Told, 'summary'> {
  return { status, outcomeSource, certain: true };
}
