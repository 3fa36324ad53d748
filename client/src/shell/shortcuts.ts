import { useEffect, useRef } from 'react';
import { parseKeybinding } from 'tinykeys';
import { create } from 'zustand';
import { chosen, isContinuation, type LastRun, type Presses, SEQUENCE_MS } from './shortcut-matching.ts';

export interface Shortcut {
  /** As tinykeys reads them: `j`, `g i`, `$mod+KeyK`. */
  keys: string;
  /** What it does, for the list of keys: `Go to the inbox`. */
  does: string;
  run(event: KeyboardEvent): void;
  /** Works also while someone types; only for combinations with a modifier. */
  whileTyping?: boolean;
  /**
   * It answers a question: it goes before the others of its key, and is not run by a key that is held down or that just
   * ran something else, as in a row of presses that began before the question was there.
   */
  decides?: boolean;
}

/** Shortcuts that work now, for the list of keys. */
export const useShortcutList = create<{ shortcuts: readonly Shortcut[] }>(() => ({ shortcuts: [] }));

/** Presses of the longest sequence. */
const PRESSES_MAX = 3;

type Active = Shortcut & { presses: Presses };

let active: readonly Active[] = [];
let recent: KeyboardEvent[] = [];
let ran: LastRun<Active> | undefined;

/** Shortcuts for as long as the component is shown. Their keys and order must not change while it is. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    const mine = latest.current.map((shortcut, index) => ({
      ...shortcut,
      run: (event: KeyboardEvent) => latest.current[index]?.run(event),
      presses: parseKeybinding(shortcut.keys),
    }));
    if (active.length === 0) window.addEventListener('keydown', listen);
    put([...active, ...mine]);
    return () => {
      put(active.filter((each) => !mine.includes(each)));
      if (active.length === 0) window.removeEventListener('keydown', listen);
    };
  }, []);
}

function put(next: readonly Active[]): void {
  active = next;
  useShortcutList.setState({ shortcuts: next });
}

/** One listener for all, so that one press runs one shortcut. */
function listen(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || isModifier(event) || pressesControl(event)) return;
  const typing = isTyping(event);
  const before = recent.at(-1);
  if (before === undefined || event.timeStamp - before.timeStamp > SEQUENCE_MS) recent = [];
  recent = typing ? [event] : [...recent, event].slice(-PRESSES_MAX);
  const found = chosen(typing ? active.filter(({ whileTyping }) => whileTyping === true) : active, recent);
  if (found === undefined) return;
  recent = [];
  event.preventDefault();
  if (found.decides === true && isContinuation(ran, found, event)) {
    if (ran !== undefined) ran.at = event.timeStamp;
    return;
  }
  ran = { shortcut: found, key: event.key, at: event.timeStamp };
  found.run(event);
}

function isModifier({ key }: KeyboardEvent): boolean {
  return key === 'Shift' || key === 'Control' || key === 'Alt' || key === 'Meta';
}

/** Enter and Space on a button or link are its own. */
function pressesControl({ key, target }: KeyboardEvent): boolean {
  if (key !== 'Enter' && key !== ' ') return false;
  return target instanceof HTMLElement && target.closest('button,a[href],summary,[role="tab"]') !== null;
}

function isTyping({ target }: Event): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(?:TEXTAREA|INPUT|SELECT)$/.test(target.tagName) || openDialogAround(target);
}

/** Below an open dialog or menu, keys belong to it. */
function openDialogAround(target: HTMLElement): boolean {
  return target.closest('[role="dialog"],[role="alertdialog"],[role="menu"],[role="listbox"]') !== null;
}
