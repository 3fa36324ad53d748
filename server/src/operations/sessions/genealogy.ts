import { GENEALOGY_MAX } from '@agent-console/shared/limits/answers';
import type { Session } from '@agent-console/shared/models/session';
import type { Descendant, Relative } from '@agent-console/shared/operations/session-branches';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';

type Needs = Pick<OperationContext, 'views'>;

/** A session among its relatives; `relation` says how it came from the one it hangs below. */
function relative({ id, title, agentId, status, outcome, genealogy }: Session): Relative {
  return { id, title, agentId, status, outcome, relation: genealogy.parentSessionId === null ? 'fork' : 'spawn' };
}

/** Where a session hangs, or null for a root and for one whose parent was removed. */
async function parentOf({ views }: Needs, { genealogy }: Session): Promise<Session | null> {
  const id = genealogy.parentSessionId ?? genealogy.forkedFromSessionId;
  return id === null ? null : views.session(id);
}

/** Those below a session, level by level and within a level as they came, GENEALOGY_MAX and one more at most. */
async function descendants({ views }: Needs, session: Session, depth: number): Promise<Descendant[]> {
  const found: Descendant[] = [];
  let above = [session];
  for (let level = 1; level <= depth && above.length > 0 && found.length <= GENEALOGY_MAX; level += 1) {
    const below: Session[] = [];
    for (const { id: parentId, genealogy } of above) {
      const room = GENEALOGY_MAX + 1 - found.length;
      const children = await views.sessions(genealogy.children.slice(0, room));
      below.push(...children);
      found.push(...children.map((child) => ({ ...relative(child), parentId, level })));
    }
    above = below;
  }
  return found;
}

export function sessionGenealogy(needs: Needs): Implementation<'sessions.genealogy'> {
  return async ({ sessionId, depth }) => {
    const session = await needs.views.session(sessionId);
    const parent = await parentOf(needs, session);
    const beside = parent?.genealogy.children.filter((id) => id !== sessionId) ?? [];
    const siblings = await needs.views.sessions(beside.slice(0, GENEALOGY_MAX));
    const children = await descendants(needs, session, depth);
    return {
      sessionId,
      parent: parent === null ? null : { ...relative(parent), relation: relative(session).relation },
      siblings: siblings.map(relative),
      children: children.slice(0, GENEALOGY_MAX),
      truncated: beside.length > GENEALOGY_MAX || children.length > GENEALOGY_MAX,
    };
  };
}
