import { h, setText } from '../dom.ts';
import { shownWorker } from '../sessions/state.ts';
import type { SessionStore } from '../sessions/store.ts';
import { type TerminalView, terminalView } from '../terminal/view.ts';
import { workHeader } from './header.ts';
import { promptBox } from './prompt.ts';

const AGES_EVERY_MS = 5_000;

export interface WorkArea {
  element: HTMLElement;
  open(sessionId: string | undefined): void;
  /** Puts the focus where typing reaches the agent. */
  type(): void;
}

/** The session that is open: header, terminal, prompt. */
export function workArea(store: SessionStore, leave: { toList(): void; back(): void }): WorkArea {
  const header = workHeader(leave.back);
  const prompt = promptBox((id) => store.refresh(id));
  const stage = h('div', { class: 'stage' });
  const body = h('div', { class: 'work-body', hidden: true }, header.element, stage, prompt.element);
  const hint = h('p');
  const nothing = h('div', { class: 'nothing quiet' }, hint);
  const element = h('main', { class: 'work' }, nothing, body);
  const noTerminal = h(
    'div',
    { class: 'nothing quiet' },
    h('p', { text: 'No terminal yet. The agent starts with the first prompt.' }),
  );
  let sessionId: string | undefined;
  let workerId: string | undefined;
  let view: TerminalView | undefined;

  function render(): void {
    const session = sessionId === undefined ? undefined : store.get(sessionId);
    nothing.hidden = session !== undefined || !store.loaded;
    setText(hint, store.rows().length === 0 ? 'What your agents do appears here.' : 'Choose a session.');
    body.hidden = session === undefined;
    if (session === undefined) {
      show(undefined);
      return;
    }
    header.show(session);
    prompt.show(session);
    show(shownWorker(session)?.id);
  }

  function show(wanted: string | undefined): void {
    if (wanted === workerId && stage.hasChildNodes()) return;
    view?.close();
    view = undefined;
    workerId = wanted;
    if (wanted === undefined || sessionId === undefined) {
      stage.replaceChildren(noTerminal);
      return;
    }
    view = terminalView(sessionId, wanted, leave.toList);
    stage.replaceChildren(view.element);
  }

  store.onChange(render);
  setInterval(render, AGES_EVERY_MS);

  return {
    element,
    open(id) {
      sessionId = id;
      render();
      // Lists come without tasks.
      if (id !== undefined && store.get(id)?.tasks === undefined) store.refresh(id);
    },
    type() {
      if (view === undefined) prompt.focus();
      else view.focus();
    },
  };
}
