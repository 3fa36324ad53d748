import { create } from 'zustand';

export interface Toast {
  id: string;
  kind: 'needs' | 'failed' | 'done' | 'plain';
  title: string;
  text?: string;
  action?: { label: string; run(): void };
}

/** Toasts shown at once; older ones give way. */
const SHOWN_MAX = 3;

/** What people are told that they did not ask for. */
export const useToasts = create<{ toasts: readonly Toast[] }>(() => ({ toasts: [] }));

/** Tells something; the same id replaces what was told before. */
export function toast(each: Omit<Toast, 'id'> & { id?: string }): void {
  const id = each.id ?? crypto.randomUUID();
  useToasts.setState(({ toasts }) => ({
    toasts: [...toasts.filter((other) => other.id !== id), { ...each, id }].slice(-SHOWN_MAX),
  }));
}

export function dismissToast(id: string): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((each) => each.id !== id) }));
}
