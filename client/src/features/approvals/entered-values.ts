import { ConsoleError } from '@agent-console/shared/errors';
import type { Approval } from '@agent-console/shared/models/approval';
import { useEffect } from 'react';
import { call } from '../../api/call.ts';
import { onConsoleEvents } from '../../api/live.ts';
import { dropHeldState, useHeldState } from '../../ui/use-held-state.ts';
import { type FormDraft, initialDraft } from './form-values.ts';

/** Ids of the forms whose entered values are in memory. */
const held = new Set<string>();
/** Ids of the forms on the page. */
const shown = new Set<string>();
/** Ids of forms on the page that were answered or withdrawn. */
const ended = new Set<string>();

/**
 * Returns the values that a person entered in an approval's form. They are kept while the approval is pending, even if
 * the form is unmounted. They may be secrets, so they are dropped once the approval has ended and the form is
 * unmounted.
 */
export function useEnteredValues({ id, fields }: Pick<Approval, 'id' | 'fields'>) {
  useEffect(() => {
    held.add(id);
    shown.add(id);
    return () => {
      shown.delete(id);
      if (ended.has(id)) drop(id);
    };
  }, [id]);
  return useHeldState<FormDraft>(nameOf(id), initialDraft(fields));
}

function nameOf(id: string): string {
  return `form ${id}`;
}

function end(id: string): void {
  if (shown.has(id)) ended.add(id);
  else drop(id);
}

function drop(id: string): void {
  held.delete(id);
  ended.delete(id);
  dropHeldState(nameOf(id));
}

/**
 * Drops the values of a form if its approval has ended. Asks the console, because the page may have missed the event.
 */
async function endIfOver(id: string): Promise<void> {
  try {
    const { state } = await call('approvals.get', { approvalId: id });
    if (state !== 'pending') end(id);
  } catch (error) {
    if (error instanceof ConsoleError && error.code === 'NOT_FOUND') end(id);
  }
}

onConsoleEvents({
  onSnapshot() {
    for (const id of held) void endIfOver(id);
  },
  onEvent({ type, subject }) {
    if (type !== 'approval.answered' && type !== 'approval.withdrawn') return;
    if (held.has(subject.id)) end(subject.id);
  },
});
