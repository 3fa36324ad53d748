import type { AuditEntry } from '@agent-console/shared/models/audit';
import type { Implementation } from '../call.ts';
import { given } from '../given.ts';
import type { Kit } from '../kit.ts';
import { pageOf } from '../paging.ts';
import type { AuditRow } from '../ports/rows/records.ts';
import type { Where } from '../ports/storage.ts';

function presentEntry({ result, ...row }: AuditRow): AuditEntry {
  return { ...row, outcome: result };
}

function between(after: string | undefined, before: string | undefined): Where<AuditRow> {
  if (after !== undefined && before !== undefined) return { at: { above: after, below: before } };
  if (after !== undefined) return { at: { above: after } };
  return before === undefined ? {} : { at: { below: before } };
}

/** Calls that the audit has, newest first. */
export function listAudit({ storage }: Pick<Kit, 'storage'>): Implementation<'audit.list'> {
  return ({ limit, skip, sessionId, operation, outcome, after, before }) => {
    const result = outcome === 'error' ? { not: 'ok' } : outcome;
    const where: Where<AuditRow> = { ...given({ sessionId, operation, result }), ...between(after, before) };
    return pageOf(storage.read.audit, where, { limit, skip }, presentEntry, ['-id']);
  };
}
