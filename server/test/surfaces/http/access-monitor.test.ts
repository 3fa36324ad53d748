import { TIMER_MAX_MS } from '@agent-console/shared/limits/connections';
import type { EventType } from '@agent-console/shared/models/event';
import { afterEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/domain/caller.ts';
import type { CommittedEvent } from '../../../src/ports/events.ts';
import { type AccessMonitor, createAccessMonitor } from '../../../src/surfaces/http/access-monitor.ts';
import { AGENT, OWNER, STRANGER } from './harness.ts';

let accessMonitor: AccessMonitor;
let commit: (type: EventType) => void = () => {};
const errors: unknown[] = [];

/** Creates an access monitor that checks callers only when an event is committed, not periodically. */
function start(): void {
  errors.length = 0;
  const onEvents = (listener: (events: readonly CommittedEvent[]) => void) => {
    commit = (type) => {
      const event = { seq: 1, at: '', type, subject: { kind: 'token', id: 'x' }, actor: 'system', data: {} } as const;
      listener([{ event, sessionId: null }]);
    };
    return () => {};
  };
  accessMonitor = createAccessMonitor({ onEvents }, (error) => errors.push(error), TIMER_MAX_MS);
}
afterEach(() => accessMonitor.close());

/** Watches a connection of a caller. `ended` resolves with the reason for its end. */
function open(caller: Caller, recheck: () => Promise<Caller>) {
  let asked = 0;
  const ended = new Promise<string>((end) => {
    const counted = () => {
      asked += 1;
      return recheck();
    };
    accessMonitor.watch({ caller, recheck: counted, end });
  });
  return { ended, asked: () => asked };
}

describe('a watched connection', () => {
  it.each(['token.revoked', 'user.removed', 'worker.exited', 'worker.lost'] as const)(
    'ends on %s if its caller is no longer identified',
    async (type) => {
      start();
      let caller: Caller = AGENT;
      const gone = open(AGENT, async () => caller);
      const stays = open(OWNER, async () => OWNER);
      commit('session.updated');
      expect(gone.asked()).toBe(0);
      caller = STRANGER;
      commit(type);
      expect(await gone.ended).toBe('Send a token.');
      const still = await Promise.race([stays.ended, Promise.resolve('open')]);
      expect([still, stays.asked()]).toEqual(['open', 1]);
      commit(type);
      expect(gone.asked()).toBe(1);
    },
  );

  it('ends when its token expires, without any event', async () => {
    start();
    const expiresAt = new Date(Date.now() + 30).toISOString();
    const known = async (): Promise<Caller> => (new Date().toISOString() >= expiresAt ? STRANGER : OWNER);
    expect(await open({ ...OWNER, kind: 'user', userId: 'x', scopes: [], via: 'token', expiresAt }, known).ended).toBe(
      'Send a token.',
    );
  });

  it('stays open if the check of its caller fails, and ends with the next check', async () => {
    start();
    const answers: (() => Promise<Caller>)[] = [() => Promise.reject(new Error('busy')), async () => STRANGER];
    const opened = open(OWNER, () => (answers.shift() ?? (async () => STRANGER))());
    commit('token.revoked');
    while (errors.length === 0) await new Promise((resolve) => setImmediate(resolve));
    commit('token.revoked');
    expect(await opened.ended).toBe('Send a token.');
  });
});
