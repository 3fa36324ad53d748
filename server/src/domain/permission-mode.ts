import { ConsoleError, fieldError } from '@agent-console/shared/errors';
import type { ModeApplies, PermissionMode } from '@agent-console/shared/models/session';

/** Rank of each mode. The higher the rank, the more an agent may do without approval. */
const RANK: Record<PermissionMode, 1 | 2 | 3 | 4> = {
  plan: 1,
  default: 1,
  ask: 1,
  acceptEdits: 2,
  auto: 2,
  'on-failure': 3,
  bypassPermissions: 4,
  'allow-all': 4,
};

/**
 * `mode` is the effective mode of the session. `requested` is the mode that the session should have; null if that is
 * `mode`.
 */
export interface Permission {
  mode: PermissionMode;
  requested: PermissionMode | null;
  ceiling: PermissionMode;
}

/**
 * A requested change of a session's permission. For an undefined field, the session keeps its current value, unless
 * this value contradicts the new value of the other field.
 */
export interface PermissionRequest {
  mode: PermissionMode | undefined;
  ceiling: PermissionMode | undefined;
}

/** An ancestor session and its ceiling, which limits the permission modes of the sessions below it. */
export interface Bound {
  sessionId: string;
  ceiling: PermissionMode;
}

export function exceeds(mode: PermissionMode, ceiling: PermissionMode): boolean {
  return RANK[mode] > RANK[ceiling];
}

/** Returns the ceiling, raised to `mode` if `mode` exceeds the ceiling. */
export function raisedTo(ceiling: PermissionMode, mode: PermissionMode | undefined): PermissionMode {
  return mode !== undefined && exceeds(mode, ceiling) ? mode : ceiling;
}

export function lowerOf(one: PermissionMode, other: PermissionMode): PermissionMode {
  return within(one, other);
}

/** Returns the mode, lowered to the ceiling if the mode exceeds the ceiling. */
function within(mode: PermissionMode, ceiling: PermissionMode): PermissionMode {
  return exceeds(mode, ceiling) ? ceiling : mode;
}

/**
 * Returns the requested mode and the ceiling of a new session. A child inherits its parent's mode and ceiling, and
 * never exceeds this ceiling.
 * @throws PERMISSION_DENIED for a mode or ceiling above the parent's ceiling. VALIDATION for a request whose mode is
 * above its own ceiling.
 */
export function permissionOfNewSession(
  request: PermissionRequest,
  from: { parent: (Pick<Permission, 'mode'> & Bound) | null; defaultMode: PermissionMode },
): { requested: PermissionMode; ceiling: PermissionMode } {
  const { parent } = from;
  refuseContradiction(request);
  for (const mode of [request.ceiling, request.mode]) if (mode !== undefined) refuseExceeding(mode, parent);
  const limit = request.ceiling ?? parent?.ceiling;
  const inherited = parent?.mode ?? from.defaultMode;
  const requested = request.mode ?? (limit === undefined ? inherited : within(inherited, limit));
  return { requested, ceiling: limit ?? requested };
}

/**
 * Returns the mode and the ceiling of a session after a change. If the mode exceeds the ceiling, a person's request
 * raises the ceiling, and an agent's request is rejected.
 * @throws PERMISSION_DENIED for a change that only people may make, and for a mode or ceiling above the ceiling of an
 * ancestor (`bounds`); VALIDATION for a request whose mode is above its own ceiling.
 */
export function changedPermission(
  current: Permission,
  request: PermissionRequest,
  by: { person: boolean; bounds: readonly Bound[] },
): Pick<Permission, 'requested' | 'ceiling'> {
  if (request.ceiling !== undefined && !by.person) {
    throw new ConsoleError(
      'PERMISSION_DENIED',
      'Only people can set the ceiling of a session; ask the person you work for.',
      { ceiling: current.ceiling },
    );
  }
  refuseContradiction(request);
  if (request.mode !== undefined && exceeds(request.mode, current.ceiling) && !by.person) {
    throw new ConsoleError(
      'PERMISSION_DENIED',
      `Permission mode ${request.mode} is above this session's ceiling ${current.ceiling}. Ask the person you work for to raise the ceiling.`,
      { mode: request.mode, ceiling: current.ceiling },
    );
  }
  for (const bound of by.bounds) {
    for (const mode of [request.ceiling, request.mode]) if (mode !== undefined) refuseExceeding(mode, bound);
  }
  const ceiling = request.ceiling ?? raisedTo(current.ceiling, request.mode);
  return { requested: request.mode ?? requestedWithin(current, ceiling), ceiling };
}

/**
 * Returns when a session's new permission mode takes effect. `agent` is null if no agent runs; `agent.mode` is null if
 * the mode of the running agent is unknown.
 * @param resumes whether a new process can resume the conversation.
 */
export function modeApplies(
  mode: PermissionMode,
  agent: { mode: PermissionMode | null } | null,
  resumes: boolean,
): ModeApplies {
  if (agent === null || agent.mode === null || agent.mode === mode) return 'now';
  return resumes ? 'nextTask' : 'nextStart';
}

/** Returns the requested mode and the ceiling of a session after an ancestor's ceiling was lowered to `bound`. */
export function loweredTo(current: Permission, bound: PermissionMode): Pick<Permission, 'requested' | 'ceiling'> {
  return { requested: requestedWithin(current, bound), ceiling: within(current.ceiling, bound) };
}

function requestedWithin({ mode, requested }: Permission, bound: PermissionMode): PermissionMode | null {
  return exceeds(mode, bound) || exceeds(requested ?? mode, bound) ? bound : requested;
}

function refuseContradiction({ mode, ceiling }: PermissionRequest): void {
  if (mode === undefined || ceiling === undefined || !exceeds(mode, ceiling)) return;
  throw fieldError(
    'permissionMode',
    `${mode} is above the ceiling ${ceiling} in the same request; lower the mode or raise the ceiling`,
    { mode, ceiling },
  );
}

function refuseExceeding(mode: PermissionMode, bound: Bound | null): void {
  if (bound === null || !exceeds(mode, bound.ceiling)) return;
  throw new ConsoleError(
    'PERMISSION_DENIED',
    `Permission mode ${mode} is above the ceiling ${bound.ceiling} of the ancestor session ${bound.sessionId}. A person must raise that ceiling first.`,
    { mode, ceiling: bound.ceiling, sessionId: bound.sessionId },
  );
}
