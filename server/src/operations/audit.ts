import type { AuditEntry } from '@agent-console/shared/models/audit';
import type { AuditRow } from '../ports/rows.ts';
import type { Where } from '../ports/storage.ts';
import { omitUndefined } from './omit-undefined.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { pageOf } from './paging.ts';

function presentEntry({ result, ...row }: AuditRow): AuditEntry {
  return { ...row, outcome: result };
}

function between(after: string | undefined, before: string | undefined): Where<AuditRow> {
  if (after !== undefined && before !== undefined) return { at: { above: after, below: before } };
  if (after !== undefined) return { at: { above: after } };
  return before === undefined ? {} : { at: { below: before } };
}

function listAudit({ storage }: OperationContext): Implementation<'audit.list'> {
  return ({ limit, skip, sessionId, operation, outcome, after, before }) => {
    const result = outcome === 'error' ? { not: 'ok' } : outcome;
    const where: Where<AuditRow> = { ...omitUndefined({ sessionId, operation, result }), ...between(after, before) };
    return pageOf(storage.read.audit, where, { limit, skip }, presentEntry, ['-id']);
  };
}

export function auditOperations(context: OperationContext) {
  return {
    'audit.list': listAudit(context),
  } satisfies Partial<Implementations>;
}
