import { h, setText } from '../dom.ts';
import { age } from '../sessions/age.ts';
import { nameOf, standingOf } from '../sessions/state.ts';
import type { KnownSession } from '../sessions/store.ts';

export interface WorkHeader {
  element: HTMLElement;
  show(session: KnownSession): void;
}

/** What is open: its name and state, where it works, and who works there. */
export function workHeader(onBack: () => void): WorkHeader {
  const glyph = h('span', { class: 'glyph' });
  const title = h('h2');
  const state = h('span', { class: 'state' });
  const branch = h('span', { class: 'branch' });
  const path = h('span', { class: 'path' });
  const element = h(
    'header',
    { class: 'work-header' },
    h('button', { class: 'back', type: 'button', label: 'Back to the sessions', text: '←', onClick: onBack }),
    glyph,
    h('div', { class: 'work-title' }, title, h('div', { class: 'place quiet' }, branch, path)),
    state,
  );
  glyph.setAttribute('aria-hidden', 'true');
  return {
    element,
    show(session) {
      const standing = standingOf(session);
      const ref = session.gitState?.ref ?? '';
      element.dataset.state = standing.kind;
      setText(glyph, standing.glyph);
      setText(title, nameOf(session));
      setText(branch, ref.replace(/^refs\/heads\//, ''));
      setText(path, session.cwd);
      path.title = session.cwd;
      setText(state, `${session.agentId} · ${standing.word} ${age(standing.since)}`);
      state.title = standing.source;
    },
  };
}
