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
  const line = h('div', { class: 'prompt-line' }, input, send);
  const element = h('form', { class: 'prompt' }, h('div', { class: 'prompt-stack' }, note, line));
  input.rows = 1;
  input.placeholder = 'Prompt…';
  let sessionId = '';
  /** The same words get the same key until they were taken, so that a repeat after a lost answer is sent once. */
  let attempt: { text: string; key: string } | undefined;
  let sending = false;
  let problem = '';
  let waiting = '';

  function grow(): void {
    input.rows = 1;
    while (input.rows < LINES_MAX && input.scrollHeight > input.clientHeight) input.rows += 1;
  }

  function explain(): void {
    setText(note, problem || waiting);
    note.dataset.kind = problem === '' ? 'quiet' : 'problem';
  }

  function complain(text: string): void {
    problem = text;
    explain();
  }

  async function submit(): Promise<void> {
    const text = input.value;
    if (sending || text.trim() === '') return;
    const target = sessionId;
    if (attempt?.text !== text) attempt = { text, key: crypto.randomUUID() };
    sending = true;
    send.disabled = true;
    try {
      await call({
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
      if (target === sessionId) complain('');
      onSent(target);
    } catch (error) {
      if (target === sessionId) complain(asPromptProblem(error));
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
    complain('');
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
      waiting = waitingIn(session);
      explain();
      if (session.id === sessionId) return;
      sessionId = session.id;
      input.value = localStorage.getItem(DRAFT_KEY + sessionId) ?? '';
      complain('');
      grow();
    },
    focus: () => input.focus(),
  };
}

/** What waits to be told to the agent, and for what. */
function waitingIn({ tasks = [] }: KnownSession): string {
  const queued = tasks.filter((task) => task.status === 'queued' && task.kind === 'prompt');
  const blocked = tasks.find(
    (task) => task.blocked !== null && (task.status === 'queued' || task.status === 'running'),
  );
  const held = blocked === undefined ? '' : ` Held: ${blocked.blocked}.`;
  if (queued.length === 0) return held.trim();
  return `${queued.length === 1 ? '1 prompt waits its' : `${queued.length} prompts wait their`} turn.${held}`;
}
