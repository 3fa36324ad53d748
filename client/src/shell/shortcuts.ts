import { useEffect, useRef } from 'react';
import { parseKeybinding } from 'tinykeys';
import { create } from 'zustand';
import { FIRST_PAGE_KEYS, WHILE_TYPING } from './first-page-keys.ts';
import { effectiveKeys, useKeyOverrides } from './key-overrides.ts';
import type { ShortcutId } from './shortcut-labels.ts';
import { isContinuation, type LastRun, matchShortcut, type Presses, SEQUENCE_MS } from './shortcut-matching.ts';

interface AnyShortcut {
  /** Keys in the syntax of tinykeys: `j`, `g i`, `$mod+KeyK`. */
  keys: string;
  run(event: KeyboardEvent): void;
}

/** A shortcut whose keys can be changed. */
interface PageShortcut extends AnyShortcut {
  /** Changed keys are stored under this id. `shortcut-labels.ts` contains its label. */
  id: ShortcutId;
  label?: undefined;
  isAnswer?: undefined;
}

/**
 * A shortcut that answers a question. It takes precedence over others with the same key, and ignores keys that are held
 * down or that were pressed for another purpose before the question appeared.
 */
interface AnswerShortcut extends AnyShortcut {
  id?: undefined;
  label: string;
  isAnswer: true;
}

export type Shortcut = PageShortcut | AnswerShortcut;

export type ListedShortcut = Shortcut & { defaultKeys: string };

export const useShortcutList = create<{ shortcuts: readonly ListedShortcut[] }>(() => ({ shortcuts: [] }));

const PRESSES_MAX = 3;

type Active = ListedShortcut & { presses: Presses };

let registered: readonly Shortcut[] = [];
/** Registered shortcuts with their effective keys. */
let active: readonly Active[] = [];
let stopFollowing: (() => void) | undefined;
let recent: KeyboardEvent[] = [];
let ran: LastRun<Active> | undefined;

/** Returns the shortcuts of a region. `keys` contains their default keys and `runs` their functions, both by id. */
export function shortcutsOf<Id extends ShortcutId>(
  keys: Readonly<Record<Id, string>>,
  runs: Readonly<Partial<Record<Id, Shortcut['run']>>>,
): Shortcut[] {
  return Object.entries<Shortcut['run']>(runs as Record<Id, Shortcut['run']>).map(([id, run]) => ({
    id: id as Id,
    keys: keys[id as Id],
    run,
  }));
}

/**
 * Registers shortcuts while the component is mounted. Later renders may change what the shortcuts do, but not their
 * keys or order.
 */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    const mine = latest.current.map((shortcut, index) => ({
      ...shortcut,
      run: (event: KeyboardEvent) => latest.current[index]?.run(event),
    }));
    return addShortcuts(mine);
  }, []);
}

/** Registers shortcuts until the returned function is called. */
export function addShortcuts(mine: readonly Shortcut[]): () => void {
  if (registered.length === 0) {
    window.addEventListener('keydown', listen);
    stopFollowing = useKeyOverrides.subscribe(() => put(registered));
  }
  put([...registered, ...mine]);
  return () => {
    put(registered.filter((each) => !mine.includes(each)));
    if (registered.length > 0) return;
    window.removeEventListener('keydown', listen);
    stopFollowing?.();
  };
}

/**
 * General shortcuts. If a view has a shortcut with the same keys, the view's shortcut runs, whichever was registered
 * first.
 */
const GENERAL = { ...FIRST_PAGE_KEYS.anywhere, ...FIRST_PAGE_KEYS.sessionList };
const isOfView = ({ id = '' }: { id?: string | undefined }) => Number(!(id in GENERAL));

function put(next: readonly Shortcut[]): void {
  registered = next.toSorted((a, b) => isOfView(a) - isOfView(b));
  const { overrides } = useKeyOverrides.getState();
  active = registered.map((each) => {
    const keys = each.isAnswer === true ? each.keys : effectiveKeys(each.id, each.keys, overrides);
    return { ...each, keys, defaultKeys: each.keys, presses: parseKeybinding(keys) };
  });
  useShortcutList.setState({ shortcuts: active });
}

/** The only listener for shortcuts, so that each key press runs at most one shortcut. */
function listen(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || isModifier(event) || pressesControl(event)) return;
  const typing = isTyping(event);
  const before = recent.at(-1);
  if (before === undefined || event.timeStamp - before.timeStamp > SEQUENCE_MS) recent = [];
  recent = typing ? [event] : [...recent, event].slice(-PRESSES_MAX);
  const found = matchShortcut(typing ? active.filter(({ id }) => id === WHILE_TYPING) : active, recent);
  if (found === undefined) return;
  recent = [];
  event.preventDefault();
  if (found.isAnswer === true && isContinuation(ran, found, event)) {
    if (ran !== undefined) ran.at = event.timeStamp;
    return;
  }
  ran = { shortcut: found, key: event.key, at: event.timeStamp };
  found.run(event);
}

function isModifier({ key }: KeyboardEvent): boolean {
  return key === 'Shift' || key === 'Control' || key === 'Alt' || key === 'Meta';
}

/** Whether the press activates a focused button or link (Enter or Space). */
function pressesControl({ key, target }: KeyboardEvent): boolean {
  if (key !== 'Enter' && key !== ' ') return false;
  return target instanceof HTMLElement && target.closest('button,a[href],summary,[role="tab"]') !== null;
}

/** Selector of elements that handle key presses themselves: fields and menus. */
const TYPING = 'textarea,input,select,[role="menu"],[role="listbox"]';

/**
 * Selector of open dialogs. A dialog covers the page, so every key press counts as typed in the dialog, even after a
 * click beside the dialog has taken the focus out of it.
 */
const DIALOG = '[role="dialog"],[role="alertdialog"],dialog[open]';

function isTyping({ target }: Event): boolean {
  if (document.querySelector(DIALOG) !== null) return true;
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest(TYPING) !== null;
}
