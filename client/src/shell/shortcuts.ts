import { useEffect, useRef } from 'react';
import { parseKeybinding } from 'tinykeys';
import { create } from 'zustand';
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
  /** Name under which changed keys are stored. Its label is in `shortcut-labels.ts`. */
  id: ShortcutId;
  label?: undefined;
  /**
   * Whether the shortcut is also active in text fields. Only possible for combinations with a modifier, because other
   * keys type text.
   */
  whileTyping?: boolean;
  isAnswer?: undefined;
}

/**
 * A shortcut that answers a question. It takes precedence over others with the same key, and ignores keys that are held
 * down or that were pressed for another purpose before the question appeared.
 */
interface AnswerShortcut extends AnyShortcut {
  id?: undefined;
  label: string;
  whileTyping?: undefined;
  isAnswer: true;
}

export type Shortcut = PageShortcut | AnswerShortcut;

/** Where shortcuts work, for the list of shortcuts. */
interface ShortcutScope {
  /** Heading in the list: `Diff`. */
  group: string;
  /** Sentence about keys or gestures that are not shortcuts, e.g. how to select lines. */
  hint?: string;
}

const THIS_PAGE: ShortcutScope = { group: 'This page' };

type Registered = Shortcut & ShortcutScope;

/** A shortcut with its effective keys and its default keys. */
export type ListedShortcut = Registered & { defaultKeys: string };

/** Active shortcuts, for the list of shortcuts. */
export const useShortcutList = create<{ shortcuts: readonly ListedShortcut[] }>(() => ({ shortcuts: [] }));

const PRESSES_MAX = 3;

type Active = ListedShortcut & { presses: Presses };

let registered: readonly Registered[] = [];
/** Registered shortcuts with their effective keys. */
let active: readonly Active[] = [];
let stopFollowing: (() => void) | undefined;
let recent: KeyboardEvent[] = [];
let ran: LastRun<Active> | undefined;

/** Registers shortcuts while the component is mounted. Their keys and order must not change during this time. */
export function useShortcuts(shortcuts: readonly Shortcut[], scope: ShortcutScope = THIS_PAGE): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  const { group, hint } = scope;
  useEffect(() => {
    const mine = latest.current.map((shortcut, index) => ({
      ...shortcut,
      run: (event: KeyboardEvent) => latest.current[index]?.run(event),
    }));
    return addShortcuts(mine, hint === undefined ? { group } : { group, hint });
  }, [group, hint]);
}

/** Registers shortcuts until the returned function is called. */
export function addShortcuts(shortcuts: readonly Shortcut[], scope: ShortcutScope): () => void {
  const mine = shortcuts.map((each) => ({ ...each, ...scope }));
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

function put(next: readonly Registered[]): void {
  registered = next;
  const { overrides } = useKeyOverrides.getState();
  active = next.map((each) => {
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
  const found = matchShortcut(typing ? active.filter(({ whileTyping }) => whileTyping === true) : active, recent);
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

/** Selector of elements that handle their own keys: fields, dialogs and menus. */
const TYPING = 'textarea,input,select,[role="dialog"],[role="alertdialog"],[role="menu"],[role="listbox"]';

function isTyping({ target }: Event): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest(TYPING) !== null;
}
