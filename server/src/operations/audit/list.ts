import type { AuditEntry } from '@agent-console/shared/models/audit';
import type { AuditRow } from '../../ports/rows/records.ts';
import type { Where } from '../../ports/storage.ts';
import type { OperationContext } from '../context.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { Implementation } from '../operation.ts';
import { pageOf } from '../paging.ts';

function presentEntry({ result, ...row }: AuditRow): AuditEntry {
  return { ...row, outcome: result };
}

function between(after: string | undefined, before: string | undefined): Where<AuditRow> {
  if (after !== undefined && before !== undefined) return { at: { above: after, below: before } };
  if (after !== undefined) return { at: { above: after } };
  return before === undefined ? {} : { at: { below: before } };
}

/** Calls that the audit has, newest first. */
export function listAudit({ storage }: Pick<OperationContext, 'storage'>): Implementation<'audit.list'> {
  return ({ limit, skip, sessionId, operation, outcome, after, before }) => {
    const result = outcome === 'error' ? { not: 'ok' } : outcome;
    const where: Where<AuditRow> = { ...omitUndefined({ sessionId, operation, result }), ...between(after, before) };
    return pageOf(storage.read.audit, where, { limit, skip }, presentEntry, ['-id']);
  };
}
