import { h, setText } from './dom.ts';
import type { LineState } from './line.ts';

/** Breaks shorter than this heal before anyone could read about them. */
const PATIENCE_MS = 600;

export interface Banner {
  element: HTMLElement;
  show(state: LineState): void;
}

/** Says that what is shown may be old, and when the next attempt is. */
export function offlineBanner(retry: () => void): Banner {
  const text = h('span');
  const element = h(
    'div',
    { class: 'banner', hidden: true, role: 'status' },
    text,
    h('button', { type: 'button', text: 'Try now', onClick: retry }),
  );
  let state: LineState = { kind: 'connecting' };
  let brokenSince: number | undefined = Date.now();

  function render(): void {
    const broken = brokenSince !== undefined && Date.now() - brokenSince > PATIENCE_MS;
    element.hidden = !broken;
    if (!broken) return;
    if (state.kind === 'ended') setText(text, state.reason);
    else if (state.kind === 'waiting') {
      const seconds = Math.max(1, Math.ceil((state.retryAt - Date.now()) / 1_000));
      setText(text, `Offline: the console cannot be reached. Trying again in ${seconds} s.`);
    } else setText(text, 'Offline: trying to reach the console…');
  }

  setInterval(render, 500);
  return {
    element,
    show(next) {
      state = next;
      if (next.kind === 'open') brokenSince = undefined;
      else brokenSince ??= Date.now();
      render();
    },
  };
}
