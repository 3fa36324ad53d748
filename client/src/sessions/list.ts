import { h, setText } from '../dom.ts';
import { age } from './age.ts';
import { describe, nameOf, standingOf } from './state.ts';
import type { Row, SessionStore } from './store.ts';

const AGES_EVERY_MS = 5_000;

interface Item {
  element: HTMLButtonElement;
  show(row: Row, selected: boolean): void;
}

export interface SessionList {
  element: HTMLElement;
  /** Marks a session as the one shown. */
  select(id: string | undefined): void;
  /** Moves the focus by so many rows. */
  move(by: number): void;
  /** Puts the focus on the row of the session shown. */
  focus(): void;
}

/** The sessions as a tree of rows that keep their places. */
export function sessionList(store: SessionStore, onOpen: (id: string) => void): SessionList {
  const rows = h('div', { class: 'rows' });
  const below = h('button', { class: 'below', hidden: true, type: 'button', onClick: () => scrollToEnd() });
  const empty = emptyState();
  const count = h('span', { class: 'quiet count' });
  const element = h(
    'nav',
    { class: 'list', label: 'Sessions' },
    h('header', {}, h('h1', { text: 'Sessions' }), count),
    h('div', { class: 'list-body' }, empty, rows),
    below,
    h('footer', { class: 'keys quiet' }, key('j'), key('k'), ' move ', key('Enter'), ' open ', key('i'), ' type'),
  );
  const items = new Map<string, Item>();
  let selected: string | undefined;
  let seenBelow = 0;

  function scrollToEnd(): void {
    rows.lastElementChild?.scrollIntoView({ block: 'nearest' });
  }

  function countBelow(): void {
    const hidden = [...items.values()].slice(seenBelow).filter((item) => {
      return item.element.getBoundingClientRect().top > rows.getBoundingClientRect().bottom - 8;
    }).length;
    if (hidden === 0) seenBelow = items.size;
    below.hidden = hidden === 0;
    setText(below, `${hidden} new ↓`);
  }

  function render(): void {
    const shown = store.rows();
    const wanted = new Set(shown.map(({ session }) => session.id));
    const first = items.size === 0;
    for (const [id, item] of items) {
      if (wanted.has(id)) continue;
      item.element.remove();
      items.delete(id);
      seenBelow = Math.min(seenBelow, items.size);
    }
    shown.forEach((row, index) => {
      const { id } = row.session;
      let item = items.get(id);
      if (item === undefined) {
        item = sessionItem(() => onOpen(id));
        items.set(id, item);
      }
      if (rows.children[index] !== item.element) rows.insertBefore(item.element, rows.children[index] ?? null);
      item.show(row, id === selected);
    });
    if (first) seenBelow = items.size;
    empty.hidden = !store.loaded || shown.length > 0;
    setText(count, shown.length === 0 ? '' : `${shown.length}`);
    countBelow();
  }

  rows.addEventListener('scroll', countBelow, { passive: true });
  store.onChange(render);
  setInterval(render, AGES_EVERY_MS);

  function focused(): number {
    return [...rows.children].indexOf(document.activeElement as Element);
  }

  return {
    element,
    select(id) {
      selected = id;
      render();
      if (id !== undefined) items.get(id)?.element.scrollIntoView({ block: 'nearest' });
    },
    move(by) {
      const at = focused() >= 0 ? focused() : [...items.keys()].indexOf(selected ?? '') - (by > 0 ? 0 : -1);
      const next = rows.children[Math.max(0, Math.min(rows.children.length - 1, at + by))];
      if (next instanceof HTMLElement) next.focus();
    },
    focus() {
      const item = selected === undefined ? undefined : items.get(selected);
      (item?.element ?? (rows.firstElementChild as HTMLElement | null))?.focus();
    },
  };
}

function sessionItem(open: () => void): Item {
  const glyph = h('span', { class: 'glyph' });
  const title = h('span', { class: 'title' });
  const since = h('span', { class: 'age' });
  const agent = h('span', { class: 'agent' });
  const word = h('span', { class: 'word' });
  const element = h(
    'button',
    { class: 'row', type: 'button', onClick: open },
    glyph,
    h('span', { class: 'row-text' }, title, agent),
    h('span', { class: 'row-state' }, word, since),
  );
  glyph.setAttribute('aria-hidden', 'true');
  return {
    element,
    show({ session, depth }, selected) {
      const standing = standingOf(session);
      element.dataset.state = standing.kind;
      element.dataset.depth = String(Math.min(depth, 4));
      if (selected) element.setAttribute('aria-current', 'true');
      else element.removeAttribute('aria-current');
      element.title = `${nameOf(session)}\n${describe(standing)}`;
      setText(glyph, standing.glyph);
      setText(title, nameOf(session));
      setText(agent, session.agentId);
      setText(word, standing.word);
      setText(since, age(standing.since));
    },
  };
}

function emptyState(): HTMLElement {
  return h(
    'div',
    { class: 'empty', hidden: true },
    h('p', { text: 'No sessions yet. Start one in a repository:' }),
    h('pre', {}, h('code', { text: 'agent-console delegate "…"' })),
    h('p', { class: 'quiet', text: 'It appears here at once.' }),
  );
}

function key(name: string): HTMLElement {
  return h('kbd', { text: name });
}
