import type { Access, Effect } from '@agent-console/shared/operation';
import type { Caller } from './caller.ts';

/** How the session a call is about relates to the calling worker's own. */
export type Relation = 'own' | 'descendant' | 'parent' | 'other' | 'none';

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

/** Whether a caller may run an operation; `parentToo` lets a child reach its parent where the operation allows it. */
export function mayRun(
  caller: Caller,
  operation: { access: Access; effect: Effect; parentToo: boolean },
  relation: Relation,
): AccessDecision {
  if (operation.access === 'public') return ALLOWED;
  if (caller.kind === 'nobody') return { allowed: false, code: 'UNAUTHENTICATED', why: caller.reason };
  if (caller.kind === 'worker') {
    return operation.parentToo && relation === 'parent' ? ALLOWED : workerMay(operation.access, relation);
  }
  if (operation.access === 'owner' && !caller.scopes.includes('owner')) {
    return denied('This needs the scope "owner"; the local owner has it, a token only where it was given.');
  }
  const needed = operation.effect === 'read' ? 'read' : 'write';
  return caller.scopes.includes(needed) ? ALLOWED : denied(`This token lacks the scope "${needed}".`);
}
