import { ConsoleError } from '@agent-console/shared/errors';
import { PAGE_MAX } from '@agent-console/shared/limits';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import type { Session } from '@agent-console/shared/models/session';
import type { Task } from '@agent-console/shared/models/task';
import { call } from '../api.ts';

/** A session, with its tasks once it was looked up by itself. */
export type KnownSession = Session & { tasks?: Task[] };

export interface Row {
  session: KnownSession;
  /** Depth in the tree of those shown. */
  depth: number;
}

/** Events come in bursts; one question answers a burst. */
const GATHER_MS = 60;
/** Above this many changed sessions the whole list is one question less. */
const SINGLE_MAX = 8;
const RETRY_MS = 2_000;

/**
 * The sessions as last heard. An event says that a session changed; what it is now is asked of the console, so that no
 * rule about states is written a second time here. Order is kept while someone looks: a child comes in below its
 * parent's others, a root at the end.
 */
export class SessionStore {
  readonly #sessions = new Map<string, KnownSession>();
  readonly #listeners = new Set<() => void>();
  #order: string[] = [];
  #changed = new Set<string>();
  #asking = false;
  #loaded = false;

  /** False until the first snapshot. */
  get loaded(): boolean {
    return this.#loaded;
  }

  get(id: string): KnownSession | undefined {
    return this.#sessions.get(id);
  }

  rows(): Row[] {
    return this.#order.flatMap((id) => {
      const session = this.#sessions.get(id);
      return session === undefined ? [] : [{ session, depth: this.#depthOf(session) }];
    });
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Everything anew, newest first, children below their parents. */
  reset(sessions: readonly Session[]): void {
    const before = new Set(this.#order);
    const tasks = new Map([...this.#sessions].map(([id, session]) => [id, session.tasks]));
    this.#sessions.clear();
    for (const session of sessions) {
      const known = tasks.get(session.id);
      this.#sessions.set(session.id, known === undefined ? session : { ...session, tasks: known });
    }
    this.#order = this.#order.filter((id) => this.#sessions.has(id));
    const added = sessions.filter(({ id }) => !before.has(id));
    const byAge = [...added].sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
    for (const session of before.size === 0 ? byAge : byAge.reverse()) this.#place(session);
    this.#loaded = true;
    this.#tell();
  }

  note(event: ConsoleEvent): void {
    const { subject, data, type } = event;
    const sessionId = subject.kind === 'session' ? subject.id : data.sessionId;
    if (typeof sessionId !== 'string') return;
    if (type === 'session.removed' || type === 'session.archived') {
      this.#sessions.delete(sessionId);
      this.#tell();
      return;
    }
    this.refresh(sessionId);
  }

  /** Asks for a session again, soon. */
  refresh(sessionId: string): void {
    this.#changed.add(sessionId);
    if (this.#asking) return;
    this.#asking = true;
    setTimeout(() => void this.#ask(), GATHER_MS);
  }

  async #ask(): Promise<void> {
    const ids = [...this.#changed];
    this.#changed = new Set();
    let wait = 0;
    try {
      if (ids.length > SINGLE_MAX) await this.#askForList();
      else await Promise.all(ids.map((id) => this.#askForOne(id)));
    } catch {
      for (const id of ids) this.#changed.add(id);
      wait = RETRY_MS;
    }
    this.#asking = false;
    this.#tell();
    const [next] = this.#changed;
    if (next !== undefined) setTimeout(() => this.refresh(next), wait);
  }

  async #askForOne(id: string): Promise<void> {
    try {
      const session = await call({ operation: 'sessions.get', method: 'GET', path: `/sessions/${id}` });
      if (session.archivedAt === null) this.#put(session);
      else this.#sessions.delete(id);
    } catch (error) {
      if (!(error instanceof ConsoleError) || error.code !== 'NOT_FOUND') throw error;
      this.#sessions.delete(id);
    }
  }

  async #askForList(): Promise<void> {
    const page = await call({ operation: 'sessions.list', method: 'GET', path: `/sessions?limit=${PAGE_MAX}` });
    for (const session of page.data.toReversed()) this.#put(session);
  }

  #put(session: KnownSession): void {
    const known = this.#sessions.get(session.id);
    this.#sessions.set(session.id, known?.tasks === undefined ? session : { tasks: known.tasks, ...session });
    if (!this.#order.includes(session.id)) this.#place(session);
  }

  #place(session: Session): void {
    const { id } = session;
    if (this.#order.includes(id)) return;
    const parentId = parentOf(session);
    const parent = parentId === null ? undefined : this.#sessions.get(parentId);
    if (parent === undefined) {
      this.#order.push(id);
      return;
    }
    this.#place(parent);
    let at = this.#order.indexOf(parent.id) + 1;
    while (at < this.#order.length && this.#isBelow(this.#order[at] ?? '', parent.id)) at += 1;
    this.#order.splice(at, 0, id);
  }

  #isBelow(id: string, ancestorId: string): boolean {
    for (let session = this.#sessions.get(id); session !== undefined; ) {
      const parentId = parentOf(session);
      if (parentId === null) return false;
      if (parentId === ancestorId) return true;
      session = this.#sessions.get(parentId);
    }
    return false;
  }

  #depthOf(session: Session): number {
    const parentId = parentOf(session);
    const parent = parentId === null ? undefined : this.#sessions.get(parentId);
    return parent === undefined ? 0 : this.#depthOf(parent) + 1;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function parentOf({ genealogy }: Session): string | null {
  return genealogy.parentSessionId ?? genealogy.forkedFromSessionId;
}
