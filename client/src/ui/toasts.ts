import { create } from 'zustand';

export interface Toast {
  id: string;
  kind: 'needs' | 'failed' | 'done' | 'plain';
  title: string;
  text?: string;
  action?: { label: string; run(): void };
}

/** Maximum number of toasts on the page. A further toast replaces the oldest one. */
const SHOWN_MAX = 3;

export const useToasts = create<{ toasts: readonly Toast[] }>(() => ({ toasts: [] }));

/** Shows a toast, replacing a toast with the same id. */
export function toast(each: Omit<Toast, 'id'> & { id?: string }): void {
  const id = each.id ?? crypto.randomUUID();
  useToasts.setState(({ toasts }) => ({
    toasts: [...toasts.filter((other) => other.id !== id), { ...each, id }].slice(-SHOWN_MAX),
  }));
}

/** Returns an error handler that shows the error's message in a toast. */
export function failureToast(title: string): (error: { message: string }) => void {
  return ({ message }) => toast({ kind: 'failed', title, text: message });
}

export function dismissToast(id: string): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((each) => each.id !== id) }));
}
