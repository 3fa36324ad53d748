import { call } from '../api.ts';
import { h, setText } from '../dom.ts';
import type { KnownSession } from '../sessions/store.ts';
import { asPromptProblem } from './prompt-problem.ts';

const DRAFT_KEY = 'agent-console.draft.';
const LINES_MAX = 12;

export interface PromptBox {
  element: HTMLElement;
  show(session: KnownSession): void;
  focus(): void;
}

/** Where a session is told what to do. Drafts are kept per session until they were taken. */
export function promptBox(onSent: (sessionId: string) => void): PromptBox {
  const input = h('textarea', { label: 'Prompt' });
  const send = h('button', { type: 'submit', text: 'Send' });
  const note = h('p', { class: 'prompt-note', role: 'status' });
  const element = h('form', { class: 'prompt' }, note, h('div', { class: 'prompt-line' }, input, send));
  input.rows = 1;
  input.placeholder = 'Prompt…';
  let sessionId = '';
  /** The same words get the same key until they were taken, so that a repeat after a lost answer is sent once. */
  let attempt: { text: string; key: string } | undefined;
  let sending = false;

  function grow(): void {
    input.rows = 1;
    while (input.rows < LINES_MAX && input.scrollHeight > input.clientHeight) input.rows += 1;
  }

  function say(text: string, kind: 'quiet' | 'problem' = 'quiet'): void {
    setText(note, text);
    note.dataset.kind = kind;
  }

  async function submit(): Promise<void> {
    const text = input.value;
    if (sending || text.trim() === '') return;
    const target = sessionId;
    if (attempt?.text !== text) attempt = { text, key: crypto.randomUUID() };
    sending = true;
    send.disabled = true;
    try {
      const answer = await call({
        operation: 'sessions.prompt',
        method: 'POST',
        path: `/sessions/${target}/prompt`,
        body: { prompt: text },
        idempotencyKey: attempt.key,
      });
      attempt = undefined;
      localStorage.removeItem(DRAFT_KEY + target);
      if (target === sessionId && input.value === text) {
        input.value = '';
        grow();
      }
      say(answer.queued === true ? `Waits its turn: number ${answer.queuePosition ?? 1}.` : '');
      onSent(target);
    } catch (error) {
      if (target === sessionId) say(asPromptProblem(error), 'problem');
    } finally {
      sending = false;
      send.disabled = false;
    }
  }

  element.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit();
  });
  input.addEventListener('input', () => {
    if (input.value === '') localStorage.removeItem(DRAFT_KEY + sessionId);
    else localStorage.setItem(DRAFT_KEY + sessionId, input.value);
    say('');
    grow();
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      void submit();
    } else if (event.key === 'Escape') {
      input.blur();
    }
  });

  return {
    element,
    show(session) {
      if (session.id === sessionId) return;
      sessionId = session.id;
      input.value = localStorage.getItem(DRAFT_KEY + sessionId) ?? '';
      say('');
      grow();
    },
    focus: () => input.focus(),
  };
}
