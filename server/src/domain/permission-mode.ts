import { ConsoleError } from '@agent-console/shared/errors';
import type { ModeApplies, PermissionMode } from '@agent-console/shared/models/session';

/** How much an agent may do unasked; only a higher rank is a raise. */
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

/** What is decided about one session. `requested` is null where nobody named a mode. */
export interface Permission {
  mode: PermissionMode;
  requested: PermissionMode | null;
  ceiling: PermissionMode;
}

/** What a caller names; what is left out stays, or follows from the rest. */
export interface AskedPermission {
  mode: PermissionMode | undefined;
  ceiling: PermissionMode | undefined;
}

/** A ceiling above a session: that of a session it came from. */
export interface Bound {
  sessionId: string;
  ceiling: PermissionMode;
}

export function exceeds(mode: PermissionMode, ceiling: PermissionMode): boolean {
  return RANK[mode] > RANK[ceiling];
}

/** A ceiling, or the mode that a person asks for where that is above it. */
export function raisedTo(ceiling: PermissionMode, mode: PermissionMode | undefined): PermissionMode {
  return mode !== undefined && exceeds(mode, ceiling) ? mode : ceiling;
}

/** The lower of two ceilings. */
export function lowerOf(one: PermissionMode, other: PermissionMode): PermissionMode {
  return within(one, other);
}

/** A mode, or the ceiling where it is above it. */
function within(mode: PermissionMode, ceiling: PermissionMode): PermissionMode {
  return exceeds(mode, ceiling) ? ceiling : mode;
}

/**
 * The mode a new session asks for, before its kind of agent maps it, and its ceiling. A child inherits both from its
 * parent and never gets more than the parent's ceiling, whoever asks for it.
 * @throws PERMISSION_DENIED above the parent's ceiling, VALIDATION for a mode above the ceiling named with it.
 */
export function permissionOfNew(
  asked: AskedPermission,
  from: { parent: (Pick<Permission, 'mode'> & Bound) | null; defaultMode: PermissionMode },
): { asked: PermissionMode; ceiling: PermissionMode } {
  const { parent } = from;
  refuseContradiction(asked);
  for (const wanted of [asked.ceiling, asked.mode]) if (wanted !== undefined) refuseBeyond(wanted, parent);
  const most = asked.ceiling ?? parent?.ceiling;
  const inherited = parent?.mode ?? from.defaultMode;
  const mode = asked.mode ?? (most === undefined ? inherited : within(inherited, most));
  return { asked: mode, ceiling: most ?? mode };
}

/**
 * What a session asks for and its ceiling after a change; `bounds` are the ceilings above it. The ceiling is a person's
 * word: a mode that a person asks for above it raises it, an agent's is refused.
 * @throws PERMISSION_DENIED for what an agent may not do and above a bound, VALIDATION for a mode above the ceiling
 * named with it.
 */
export function changedPermission(
  current: Permission,
  asked: AskedPermission,
  by: { person: boolean; bounds: readonly Bound[] },
): Pick<Permission, 'requested' | 'ceiling'> {
  if (asked.ceiling !== undefined && !by.person) {
    throw new ConsoleError(
      'PERMISSION_DENIED',
      'Only people set the ceiling of a session; ask the person you work for.',
      { ceiling: current.ceiling },
    );
  }
  refuseContradiction(asked);
  if (asked.mode !== undefined && exceeds(asked.mode, current.ceiling) && !by.person) {
    throw new ConsoleError(
      'PERMISSION_DENIED',
      `Permission mode ${asked.mode} is above this session's ceiling ${current.ceiling}. Ask the person you work for to raise it.`,
      { mode: asked.mode, ceiling: current.ceiling },
    );
  }
  for (const bound of by.bounds) {
    for (const wanted of [asked.ceiling, asked.mode]) if (wanted !== undefined) refuseBeyond(wanted, bound);
  }
  const ceiling = asked.ceiling ?? raisedTo(current.ceiling, asked.mode);
  return { requested: asked.mode ?? requestedWithin(current, ceiling), ceiling };
}

/** When a session's mode is that of its agent; `agent` is null where none runs, its mode where nobody knows it. */
export function modeApplies(
  mode: PermissionMode,
  agent: { mode: PermissionMode | null } | null,
  resumes: boolean,
): ModeApplies {
  if (agent === null || agent.mode === null || agent.mode === mode) return 'now';
  return resumes ? 'nextTask' : 'nextStart';
}

/** A session under a ceiling that was lowered: neither what it asks for nor its own ceiling is above it. */
export function loweredTo(current: Permission, bound: PermissionMode): Pick<Permission, 'requested' | 'ceiling'> {
  return { requested: requestedWithin(current, bound), ceiling: within(current.ceiling, bound) };
}

function requestedWithin({ mode, requested }: Permission, bound: PermissionMode): PermissionMode | null {
  return exceeds(mode, bound) || exceeds(requested ?? mode, bound) ? bound : requested;
}

function refuseContradiction({ mode, ceiling }: AskedPermission): void {
  if (mode === undefined || ceiling === undefined || !exceeds(mode, ceiling)) return;
  throw new ConsoleError(
    'VALIDATION',
    `permissionMode: ${mode} is above the permissionCeiling ${ceiling} that was given with it; raise the one or lower the other`,
    { field: 'permissionMode', mode, ceiling },
  );
}

function refuseBeyond(wanted: PermissionMode, bound: Bound | null): void {
  if (bound === null || !exceeds(wanted, bound.ceiling)) return;
  throw new ConsoleError(
    'PERMISSION_DENIED',
    `Permission mode ${wanted} is above the ceiling ${bound.ceiling} of session ${bound.sessionId}, which this one comes from. A person can raise that one first.`,
    { mode: wanted, ceiling: bound.ceiling, sessionId: bound.sessionId },
  );
}
