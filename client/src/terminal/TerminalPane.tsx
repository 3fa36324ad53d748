import {
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { PHONE, useMedia } from '../ui/use-media.ts';
import { EarlierButton, EarlierOutput } from './EarlierOutput.tsx';
import type { Emulator } from './emulator.ts';
import { FindBar } from './FindBar.tsx';
import { isFindShortcut } from './input-guards.ts';
import { terminalOf } from './pool.ts';
import { QuestionDialog } from './QuestionDialog.tsx';
import { StatusBar } from './StatusBar.tsx';
import { useCoveredView } from './use-covered-view.ts';

export interface TerminalFocus {
  focus(): void;
}

export interface TerminalPaneProps {
  sessionId: string;
  workerId: string;
  label?: string;
  focusRef?: RefObject<TerminalFocus | null>;
  /** Called on Shift+Escape, to return the focus to the page. */
  onLeave?: () => void;
  /**
   * Height in pixels of the covered lower part of the terminal. The terminal scrolls instead of shrinking, because a
   * resize makes programs redraw everything.
   */
  coveredPx?: number;
}

/** Terminal of one worker. Fills its box and never resizes the box. */
export function TerminalPane({ sessionId, workerId, label, focusRef, onLeave, coveredPx = 0 }: TerminalPaneProps) {
  const terminal = useMemo(() => terminalOf(sessionId, workerId), [sessionId, workerId]);
  const state = useSyncExternalStore(terminal.state.subscribe, terminal.state.get);
  const phone = useMedia(PHONE);
  const view = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const leave = useRef(onLeave);
  const [isFinding, setFinding] = useState(false);
  const [goesBack, setGoesBack] = useState(false);
  const [searched, setSearched] = useState<Emulator>(terminal.emulator);
  leave.current = onLeave;

  useEffect(() => {
    setFinding(false);
    setGoesBack(false);
    setSearched(terminal.emulator);
    return box.current === null ? undefined : terminal.show(box.current, () => leave.current?.());
  }, [terminal]);
  useCoveredView(view, terminal.emulator, coveredPx);
  useImperativeHandle(focusRef, () => ({ focus: () => terminal.focus() }), [terminal]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !(isFindShortcut(event) || (event.key === '/' && !isTypedInto(event.target))))
        return;
      event.preventDefault();
      setFinding(true);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);

  const backToNow = useCallback(() => {
    setGoesBack(false);
    setSearched(terminal.emulator);
    terminal.scrollToEnd();
    terminal.focus();
  }, [terminal]);
  const closeFind = () => {
    setFinding(false);
    searched.terminal.focus();
  };
  const toggleFind = () => (isFinding ? closeFind() : setFinding(true));

  return (
    <section
      aria-label={label === undefined ? 'Terminal' : `Terminal of ${label}`}
      className="relative flex h-full min-h-0 min-w-0 flex-col bg-bg"
    >
      <div className="relative flex min-h-0 flex-1 flex-col">
        <div className="relative min-h-0 flex-1 overflow-y-auto overflow-x-hidden [scrollbar-width:none]" ref={view}>
          <div className="absolute inset-x-0 top-0" ref={box} style={{ height: `calc(100% + ${coveredPx}px)` }} />
        </div>
        {state.atStart && !goesBack && <EarlierButton onClick={() => setGoesBack(true)} />}
      </div>
      <StatusBar finding={isFinding} onFind={toggleFind} phone={phone} state={state} terminal={terminal} />
      {goesBack && (
        <EarlierOutput
          finding={isFinding}
          onClose={backToNow}
          onFind={toggleFind}
          onShown={setSearched}
          terminal={terminal}
        />
      )}
      {isFinding && <FindBar emulator={searched} key={workerId} onClose={closeFind} />}
      {state.question !== undefined && (
        <QuestionDialog onAnswer={(yes) => terminal.answer(yes)} question={state.question} />
      )}
    </section>
  );
}

function isTypedInto(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input:read-write, textarea:read-write, select'))
  );
}
