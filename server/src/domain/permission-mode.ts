import type { PermissionMode } from '@agent-console/shared/models/session';

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

export function exceeds(mode: PermissionMode, ceiling: PermissionMode): boolean {
  return RANK[mode] > RANK[ceiling];
}
