import { create } from 'zustand';

export interface Toast {
  id: string;
  kind: 'needs' | 'failed' | 'done' | 'plain';
  title: string;
  text?: string;
  action?: { label: string; run(): void };
}

/** Maximum toasts shown; older ones are dropped. */
const SHOWN_MAX = 3;

/** Visible toasts. */
export const useToasts = create<{ toasts: readonly Toast[] }>(() => ({ toasts: [] }));

/** Shows a toast, replacing a toast with the same id. */
export function toast(each: Omit<Toast, 'id'> & { id?: string }): void {
  const id = each.id ?? crypto.randomUUID();
  useToasts.setState(({ toasts }) => ({
    toasts: [...toasts.filter((other) => other.id !== id), { ...each, id }].slice(-SHOWN_MAX),
  }));
}

export function dismissToast(id: string): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((each) => each.id !== id) }));
}
