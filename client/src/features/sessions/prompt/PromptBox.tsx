import { PROMPT_MAX_BYTES } from '@agent-console/shared/limits/texts';
import type { Session } from '@agent-console/shared/models/session';
import type { Task } from '@agent-console/shared/models/task';
import { type KeyboardEvent, type RefObject, Suspense, useLayoutEffect, useState } from 'react';
import { useOperationQuery } from '../../../api/operations.ts';
import { Button } from '../../../ui/Button.tsx';
import { DelayedFallback } from '../../../ui/DelayedFallback.tsx';
import { Problem } from '../../../ui/Problem.tsx';
import { PHONE, useMedia } from '../../../ui/use-media.ts';
import { imagesIn } from '../../images/transfer.ts';
import { agentOf, isLive } from '../badge.ts';
import { unarchive } from '../page/session-actions.ts';
import { AttachImages, attach, attached, ImageStrip } from './attachments.ts';
import { useCompletions } from './Completions.tsx';
import type { SlashCommand } from './completion.ts';
import { saveDraft, useDraft } from './drafts.ts';
import { OptionsBar } from './OptionsBar.tsx';
import { Queue, queueOf } from './Queue.tsx';
import { useSendPrompt } from './use-send-prompt.ts';

const LINES_MAX = 12;
const LINE_PX = 20;
const PADDING_PX = 14;
/**
 * Fraction of PROMPT_MAX_BYTES from which the size of a prompt is shown. The bytes of a text are not counted if it
 * cannot reach this size even with three bytes per character, the maximum.
 */
const WARN_AT = 0.8;
const NO_COMMANDS: readonly SlashCommand[] = [];

/** Prompt field of a session. The draft is retained until the console has accepted the prompt. */
export function PromptBox(props: {
  session: Session;
  tasks: readonly Task[];
  box: RefObject<HTMLTextAreaElement | null>;
  onLeave: () => void;
  /**
   * Whether the box covers the end of the view above when it grows, instead of shrinking the view. Set for a terminal,
   * because an agent redraws everything when its terminal shrinks.
   */
  covers: boolean;
}) {
  const { session, tasks, box, onLeave, covers } = props;
  const { text } = useDraft(session.id);
  const { busy, problem, send, dismiss } = useSendPrompt(session.id);
  const bytes = text.length * 3 < PROMPT_MAX_BYTES * WARN_AT ? 0 : new TextEncoder().encode(text).length;
  const [queueShown, setQueueShown] = useState(false);
  const { queued, held } = queueOf(tasks);
  const { data: offered } = useOperationQuery(
    'sessions.options',
    { sessionId: session.id },
    { enabled: !covers || session.driver === 'acp' },
  );
  const tooLarge = bytes > PROMPT_MAX_BYTES;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the height depends on the text
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    element.style.height = 'auto';
    element.style.height = `${Math.min(element.scrollHeight, LINES_MAX * LINE_PX + PADDING_PX)}px`;
  }, [text, box]);

  const isPhone = useMedia(PHONE);
  const completions = useCompletions({
    session,
    commands: offered?.commands ?? NO_COMMANDS,
    box,
    text,
    onText: (next) => saveDraft(session.id, { text: next }),
  });
  const focus = () => box.current?.focus();
  const add = (files: readonly File[]) => {
    attach(session.id, files);
    focus();
  };
  const submit = async () => {
    // Waits for pending uploads of images. The prompt is not sent if one of them failed.
    if (await attached(session.id)) await send();
  };
  const press = (event: KeyboardEvent) => {
    // During a composition with an input method, Enter only ends the composition.
    if (event.nativeEvent.isComposing || completions.press(event)) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      onLeave();
    } else if (event.key === 'Enter' && !event.shiftKey && !tooLarge) {
      event.preventDefault();
      void submit();
    }
  };
  return (
    <div className={covers ? 'relative h-13 shrink-0 max-md:h-15' : 'relative shrink-0'}>
      <form
        className={`z-10 border-t border-line bg-sunken p-2 [anchor-name:--prompt] ${covers ? 'absolute inset-x-0 bottom-0' : ''}`}
        onDragOver={(event) => {
          // Without this, the browser would open a dropped file instead of passing it to the page.
          if (event.dataTransfer.types.includes('Files')) event.preventDefault();
        }}
        onDrop={(event) => {
          if (!event.dataTransfer.types.includes('Files')) return;
          event.preventDefault();
          add(imagesIn(event.dataTransfer));
        }}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <div className={covers ? '' : 'relative mx-auto w-full max-w-200'}>
          {problem === undefined ? null : (
            <div className="mb-2">
              <Problem error={{ message: `${problem.message} Your draft is saved.` }}>
                {problem.code === 'CONFLICT' && session.archivedAt !== null ? (
                  <Button onClick={() => unarchive(session)}>Unarchive</Button>
                ) : null}
                <Button busy={busy} onClick={() => void submit()}>
                  Retry
                </Button>
                <Button aria-label="Dismiss" kind="quiet" onClick={dismiss}>
                  ×
                </Button>
              </Problem>
            </div>
          )}
          {covers ? null : <OptionsBar offered={offered} sessionId={session.id} />}
          {completions.list}
          {queueShown ? <Queue sessionId={session.id} tasks={tasks} /> : null}
          <Suspense>
            <ImageStrip onDone={focus} sessionId={session.id} />
          </Suspense>
          <div className="flex items-end gap-2">
            <div className="min-w-0 flex-1 overflow-hidden rounded-md border border-line bg-bg">
              <textarea
                dir="auto"
                {...completions.field}
                aria-label="Prompt"
                className="block min-h-[34px] w-full resize-none bg-transparent px-2.5 py-[7px] leading-5 placeholder:text-quiet max-md:min-h-[42px] max-md:py-[11px] max-md:text-[16px]"
                onChange={({ target }) => saveDraft(session.id, { text: target.value })}
                onKeyDown={press}
                onPaste={(event) => {
                  const files = imagesIn(event.clipboardData);
                  if (files.length === 0) return;
                  event.preventDefault();
                  add(files);
                }}
                placeholder={hintOf(session, isPhone)}
                ref={box}
                rows={1}
                value={text}
              />
            </div>
            <Suspense>
              <AttachImages agentId={session.agentId} onFiles={add} />
            </Suspense>
            {queued.length === 0 && held === undefined ? null : (
              <button
                aria-expanded={queueShown}
                className={`h-9 shrink-0 rounded-md border px-2 text-sm max-md:h-11 ${held === undefined ? 'border-line text-quiet hover:bg-hover' : 'border-needs bg-needs-bg text-needs'}`}
                onClick={() => setQueueShown(!queueShown)}
                title={held === undefined ? 'Queued prompts' : `Blocked: ${held.blocked}`}
                type="button"
              >
                {held === undefined ? `${queued.length} queued` : '▲ blocked'} {queueShown ? '▾' : '▴'}
              </button>
            )}
            <Button
              busy={busy}
              className="h-9 max-md:h-11"
              disabled={text.trim() === '' || tooLarge}
              kind={text.trim() === '' ? 'normal' : 'primary'}
              title="Send (Enter), new line (Shift+Enter)"
              type="submit"
            >
              {busy ? <DelayedFallback>…</DelayedFallback> : null} Send
            </Button>
          </div>
          {bytes < PROMPT_MAX_BYTES * WARN_AT ? null : (
            <p className={`mt-1 text-sm ${tooLarge ? 'text-failed' : 'text-needs'}`} role="status">
              {`${tooLarge ? '⊘' : '▲'} ${bytes.toLocaleString()} of ${PROMPT_MAX_BYTES.toLocaleString()} bytes.`}
              {tooLarge ? ' Put long text into a file and mention the file in the prompt.' : ''}
            </p>
          )}
        </div>
      </form>
    </div>
  );
}

/** Returns the placeholder of the prompt field. On a phone, only about three words fit. */
function hintOf(session: Session, isPhone: boolean): string {
  const agent = agentOf(session);
  if (session.archivedAt !== null) return isPhone ? 'Unarchive first' : 'Unarchive this session to prompt it';
  if (session.task?.status === 'running') return isPhone ? 'Queue a prompt' : 'Queue another prompt';
  if (!isPhone && (agent === undefined || !isLive(agent))) return 'Send a prompt to start the agent';
  return 'Send a prompt';
}
