import { canSee } from '../domain/access.ts';
import type { Readers } from '../ports/storage.ts';

/** Of these ids, those of sessions that somebody does not see at this moment. */
export type HiddenSessions = (ids: readonly string[]) => Promise<ReadonlySet<string>>;

/** What one user does not see. Ids of sessions that are not there hide nothing. */
export function sessionsHiddenFrom({ sessions }: Pick<Readers, 'sessions'>, userId: string): HiddenSessions {
  return async (ids) => {
    if (ids.length === 0) return new Set();
    const rows = await sessions.find({ id: [...new Set(ids)] });
    return new Set(rows.filter((row) => !canSee(userId, row)).map(({ id }) => id));
  };
}

/** Fields that hold the id of a session, or a list of them. */
const NAMING = /sessionId$|^loweredBy$|^children$/i;
/** Fields that hold who did something: an agent is `session:<id>`. */
const ACTING = /^(actor|answeredBy)$/;
const AGENT = 'session:';

type Change = (text: string) => string | null;

/** The value with each text that names a session changed; what becomes null in a list is left out of it. */
function changed(value: unknown, change: Change, names = false): unknown {
  if (typeof value === 'string') return names ? change(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => changed(each, change, names)).filter((each) => each !== null);
  const bySession = 'kind' in value && value.kind === 'session';
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      if (ACTING.test(key) && typeof each === 'string' && each.startsWith(AGENT)) {
        const id = change(each.slice(AGENT.length));
        return [key, id === null ? 'session' : each];
      }
      return [key, changed(each, change, NAMING.test(key) || (bySession && key === 'id'))];
    }),
  );
}

/**
 * Sessions, tasks, events or other things as somebody may be told of them: fields that name a session which they do not
 * see are null, an actor that is one is `session`, and lists of sessions are without it.
 */
export async function withoutHidden<T extends object>(things: readonly T[], hiddenOf: HiddenSessions): Promise<T[]> {
  const named: string[] = [];
  changed(things, (id) => {
    named.push(id);
    return id;
  });
  const hidden = await hiddenOf(named);
  if (hidden.size === 0) return [...things];
  return changed(things, (id) => (hidden.has(id) ? null : id)) as T[];
}
