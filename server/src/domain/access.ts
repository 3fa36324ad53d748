import type { Visibility } from '@agent-console/shared/models/session';
import type { Access, Effect } from '@agent-console/shared/operation';
import type { Caller } from './caller.ts';

/**
 * Relation of a target session to the caller. `peer`: target and caller are agents of the same orchestration. `none`:
 * the call has no target session, the caller is the local owner or anonymous, or a user names a session that does not
 * exist.
 */
export type Relation = 'own' | 'descendant' | 'parent' | 'peer' | 'other' | 'none';

/** Whether a user can see a session: the user created it, or it is shared with the workspace. */
export function canSee(userId: string, session: { visibility: Visibility; createdByUserId: string | null }): boolean {
  return session.visibility === 'workspace' || session.createdByUserId === userId;
}

export type AccessDecision =
  | { allowed: true }
  | { allowed: false; code: 'UNAUTHENTICATED' | 'PERMISSION_DENIED'; why: string };

const ALLOWED: AccessDecision = { allowed: true };

function denied(why: string): AccessDecision {
  return { allowed: false, code: 'PERMISSION_DENIED', why };
}

/** Decides a worker's access by the operation's access level and the relation to the target session. */
function workerMay(access: Access, relation: Relation): AccessDecision {
  switch (access) {
    case 'public':
    case 'workspace-read':
      return ALLOWED;
    case 'self':
      return relation === 'own' || relation === 'none'
        ? ALLOWED
        : denied('Agents can do this only for their own session.');
    case 'subtree':
      return relation === 'own' || relation === 'descendant'
        ? ALLOWED
        : denied('Agents can do this only for their own session and its descendants.');
    case 'member':
    case 'owner':
      return denied('Only people can do this; ask the person you work for.');
  }
}

/** A person may read the sessions of other people, but not change them. */
function personMay(effect: Effect, relation: Relation, ownedBy: string): AccessDecision {
  if (effect === 'read' || relation !== 'other') return ALLOWED;
  return denied(`This session belongs to ${ownedBy}. Only they and the local owner can change it; you can read it.`);
}

/**
 * Decides whether a caller may run an operation. A worker may run it for sessions whose relation to the caller is
 * allowed by `access` or listed in `alsoFor`. A person needs the scope that the operation requires, and can only read a
 * session whose relation is `other`.
 */
export function mayRun(
  caller: Caller,
  operation: { access: Access; effect: Effect; alsoFor: readonly Relation[] },
  relation: Relation,
  ownedBy = 'somebody else',
): AccessDecision {
  if (operation.access === 'public') return ALLOWED;
  if (caller.kind === 'nobody') return { allowed: false, code: 'UNAUTHENTICATED', why: caller.reason };
  if (caller.kind === 'worker') {
    if (operation.alsoFor.includes(relation)) return ALLOWED;
    const decision = workerMay(operation.access, relation);
    return decision.allowed || (relation !== 'other' && relation !== 'peer')
      ? decision
      : denied(`${decision.why} This session belongs to ${ownedBy}.`);
  }
  if (operation.access === 'owner' && !caller.scopes.includes('owner')) {
    return denied('This requires the scope "owner". Use a token of the local owner with this scope.');
  }
  const needed = operation.effect === 'read' ? 'read' : 'write';
  if (!caller.scopes.includes(needed))
    return denied(`This token lacks the scope "${needed}". Use a token that has this scope.`);
  return personMay(operation.effect, relation, ownedBy);
}
