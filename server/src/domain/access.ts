import type { Visibility } from '@agent-console/shared/models/session';
import type { Access, Effect } from '@agent-console/shared/operation';
import type { Caller } from './caller.ts';

/**
 * How the session a call is about relates to the calling worker's own; for a person, whether it is theirs. `none`: the
 * call is about no session, or about one that the local owner looks after like his own.
 */
export type Relation = 'own' | 'descendant' | 'parent' | 'other' | 'none';

/** Whether somebody sees a session: their own, and those that its owner shares with the workspace. */
export function sees(userId: string, session: { visibility: Visibility; createdByUserId: string | null }): boolean {
  return session.visibility === 'workspace' || session.createdByUserId === userId;
}

export type AccessDecision =
  | { allowed: true }
  | { allowed: false; code: 'UNAUTHENTICATED' | 'PERMISSION_DENIED'; why: string };

const ALLOWED: AccessDecision = { allowed: true };

function denied(why: string): AccessDecision {
  return { allowed: false, code: 'PERMISSION_DENIED', why };
}

/** What a worker may do, by the operation's access and how the session it is about relates to its own. */
function workerMay(access: Access, relation: Relation): AccessDecision {
  switch (access) {
    case 'public':
    case 'workspace-read':
      return ALLOWED;
    case 'self':
      return relation === 'own' || relation === 'none'
        ? ALLOWED
        : denied('An agent may do this for its own session only.');
    case 'subtree':
      return relation === 'own' || relation === 'descendant'
        ? ALLOWED
        : denied('An agent reaches its own session and those that came from it, not this one.');
    case 'member':
    case 'owner':
      return denied('Only people may do this; ask the person you work for.');
  }
}

/** What a person may do to the session of somebody else: look. */
function personMay(effect: Effect, relation: Relation, ownedBy: string): AccessDecision {
  if (effect === 'read' || relation !== 'other') return ALLOWED;
  return denied(`This session belongs to ${ownedBy}; only they and the local owner change it. You may read it.`);
}

/**
 * Whether a caller may run an operation; `parentToo` lets a child reach its parent where the operation allows it.
 * `ownedBy` names the session's owner, for the refusal.
 */
export function mayRun(
  caller: Caller,
  operation: { access: Access; effect: Effect; parentToo: boolean },
  relation: Relation,
  ownedBy = 'somebody else',
): AccessDecision {
  if (operation.access === 'public') return ALLOWED;
  if (caller.kind === 'nobody') return { allowed: false, code: 'UNAUTHENTICATED', why: caller.reason };
  if (caller.kind === 'worker') {
    if (operation.parentToo && relation === 'parent') return ALLOWED;
    const decision = workerMay(operation.access, relation);
    return decision.allowed || relation !== 'other' ? decision : denied(`${decision.why} It belongs to ${ownedBy}.`);
  }
  if (operation.access === 'owner' && !caller.scopes.includes('owner')) {
    return denied('This needs the scope "owner"; the local owner has it, a token only where it was given.');
  }
  const needed = operation.effect === 'read' ? 'read' : 'write';
  if (!caller.scopes.includes(needed)) return denied(`This token lacks the scope "${needed}".`);
  return personMay(operation.effect, relation, ownedBy);
}
