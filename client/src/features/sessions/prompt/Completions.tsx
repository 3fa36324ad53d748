import type { Session } from '@agent-console/shared/models/session';
import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { useOperationQuery } from '../../../api/operations.ts';
import { MENU_ITEM, POPUP } from '../../../ui/popup.ts';
import { UntrustedLine } from '../../../ui/UntrustedText.tsx';
import { type CompletionToken, complete, matchingCommands, type SlashCommand, tokenAt } from './completion.ts';

/** Maximum number of files that the list suggests. */
const SHOWN_MAX = 20;
/** Delay in milliseconds between the last key press and the search for files. */
const PAUSE_MS = 80;

interface Suggestion {
  value: string;
  label: string;
  /** Which arguments a slash command takes; empty if it takes none. */
  hint: string;
  note: string;
}

/** Completes slash commands and file names in the prompt. */
export function useCompletions(props: {
  session: Session;
  commands: readonly SlashCommand[];
  box: RefObject<HTMLTextAreaElement | null>;
  text: string;
  onText: (text: string) => void;
}) {
  const { session, commands, box, text, onText } = props;
  const listId = useId();
  const [token, setToken] = useState<CompletionToken>();
  const [selected, setSelected] = useState(0);
  /** Position in the text of the slash command or file name whose suggestions a person has closed with Escape. */
  const dismissed = useRef<number>(undefined);
  const files = useFiles(session.worktreeId, token?.kind === 'file' ? token.query : undefined);
  const suggestions =
    token === undefined ? [] : token.kind === 'file' ? files : suggestedCommands(commands, token.query);
  const open = suggestions.length > 0;
  const index = Math.min(selected, suggestions.length - 1);

  const update = () => {
    const element = box.current;
    const next =
      element === null || element.selectionStart !== element.selectionEnd
        ? undefined
        : tokenAt(element.value, element.selectionStart);
    if (next === undefined || next.start !== dismissed.current) dismissed.current = undefined;
    setToken(dismissed.current === undefined ? next : undefined);
    setSelected(0);
  };
  const accept = (suggestion: Suggestion) => {
    if (token === undefined) return;
    const { text: next, caret } = complete(text, token, suggestion.value);
    onText(next);
    setToken(undefined);
    requestAnimationFrame(() => {
      box.current?.focus();
      box.current?.setSelectionRange(caret, caret);
    });
  };
  /** Handles a key while suggestions are shown. Returns whether it handled the key. */
  const press = (event: KeyboardEvent): boolean => {
    if (!open) return false;
    const chosen = suggestions[index];
    if (event.key === 'ArrowDown') setSelected((index + 1) % suggestions.length);
    else if (event.key === 'ArrowUp') setSelected((index + suggestions.length - 1) % suggestions.length);
    else if ((event.key === 'Tab' || event.key === 'Enter') && !event.shiftKey && chosen !== undefined) {
      // Enter sends a command that is typed completely, instead of completing it.
      if (event.key === 'Enter' && token?.kind === 'command' && `/${token.query}` === chosen.value) return false;
      accept(chosen);
    } else if (event.key === 'Escape') {
      dismissed.current = token?.start;
      setToken(undefined);
    } else return false;
    event.preventDefault();
    return true;
  };
  const optionId = (at: number) => `${listId}-${at}`;
  return {
    press,
    /** Attributes and event handlers for the text area of the prompt. */
    field: {
      'aria-autocomplete': 'list',
      'aria-controls': open ? listId : undefined,
      'aria-activedescendant': open ? optionId(index) : undefined,
      onSelect: update,
      onBlur: () => setToken(undefined),
    } as const,
    list: open ? (
      <div
        aria-label={token?.kind === 'file' ? 'Files' : 'Commands'}
        className={`${POPUP} absolute inset-x-2 bottom-full z-20 mb-1 max-h-64`}
        id={listId}
        role="listbox"
      >
        {suggestions.map((suggestion, at) => (
          <Option
            id={optionId(at)}
            key={suggestion.value}
            onChoose={() => accept(suggestion)}
            selected={at === index}
            suggestion={suggestion}
          />
        ))}
      </div>
    ) : null,
  };
}

function Option(props: { id: string; suggestion: Suggestion; selected: boolean; onChoose: () => void }) {
  const { id, suggestion, selected, onChoose } = props;
  const item = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (selected) item.current?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the text area
    // biome-ignore lint/a11y/useKeyWithClickEvents: the text area handles the keys
    <div
      aria-selected={selected}
      className={`${MENU_ITEM} ${selected ? 'bg-selected' : 'hover:bg-hover'}`}
      id={id}
      onClick={onChoose}
      // Prevents the text area from losing the focus.
      onPointerDown={(event) => event.preventDefault()}
      ref={item}
      role="option"
    >
      <UntrustedLine className="shrink-0 font-mono text-sm leading-5" text={suggestion.label} />
      {suggestion.hint === '' ? null : (
        <UntrustedLine className="max-w-1/3 shrink-0 text-sm leading-5 text-quiet italic" text={suggestion.hint} />
      )}
      <UntrustedLine className="flex-1 text-quiet" text={suggestion.note} />
    </div>
  );
}

function suggestedCommands(commands: readonly SlashCommand[], query: string): Suggestion[] {
  return matchingCommands(commands, query).map(({ name, description, hint }) => ({
    value: `/${name}`,
    label: `/${name}`,
    hint: hint ?? '',
    note: description,
  }));
}

/** Searches the files of a worktree, except ignored files. During a search, the previous results are shown. */
function useFiles(worktreeId: string | null, query: string | undefined): readonly Suggestion[] {
  const [settled, setSettled] = useState<string>();
  const [shown, setShown] = useState<readonly Suggestion[]>([]);
  useEffect(() => {
    if (query === undefined) {
      setSettled(undefined);
      setShown([]);
      return undefined;
    }
    const timer = setTimeout(() => setSettled(query), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [query]);
  const { data } = useOperationQuery(
    'worktrees.files',
    { worktreeId: worktreeId ?? '', query: settled ?? '', untracked: true, limit: SHOWN_MAX },
    { enabled: worktreeId !== null && settled !== undefined },
  );
  useEffect(() => {
    if (data === undefined) return;
    setShown(
      data.data.map(({ path }) => {
        const name = path.slice(path.lastIndexOf('/') + 1);
        return { value: `@${path}`, label: name, hint: '', note: path.slice(0, -name.length - 1) };
      }),
    );
  }, [data]);
  return query === undefined ? [] : shown;
}
