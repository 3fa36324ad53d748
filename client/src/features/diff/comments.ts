import { PROMPT_MAX_BYTES } from '@agent-console/shared/limits/texts';
import type { Task } from '@agent-console/shared/models/task';
import { pluralize } from '@agent-console/shared/pluralize';
import { useCallback, useMemo, useRef, useState } from 'react';
import { create } from 'zustand';
import { onStoredElsewhere, readStored, writeStored } from '../../ui/local-storage.ts';
import { linesOf, numberOn, sideOf } from './lines.ts';
import type { Diff, DiffFile, Line, Side } from './types.ts';

export interface Comment {
  id: string;
  path: string;
  side: Side;
  /** Numbers of the first and the last commented line, in the version of the file that `side` names. */
  from: number;
  to: number;
  /** Text of the commented lines when the comment was written; at most the first QUOTED_MAX lines. */
  quote: readonly string[];
  text: string;
  /** Set once the comment was sent: the task whose prompt contains the comment, and the time. */
  sent?: { taskId: string; at: string };
}

/** Maximum sent comments of a session that are kept; the oldest are dropped. */
const SENT_MAX = 100;

/** Maximum lines quoted per comment. The agent can read the other lines in the file. */
const QUOTED_MAX = 10;
const QUOTED_LINE_CHARS = 200;

/**
 * Returns the location of a comment on these lines: in the old version of the file if all of them are removed lines,
 * otherwise in the new version; undefined without lines.
 */
export function locationOf(path: string, lines: readonly Line[]): Omit<Comment, 'id' | 'text'> | undefined {
  const side: Side = lines.some((line) => sideOf(line) === 'new') ? 'new' : 'old';
  const on = lines.filter((line) => numberOn(line, side) !== undefined);
  const from = on[0] && numberOn(on[0], side);
  const to = on.at(-1) && numberOn(on.at(-1) as Line, side);
  if (from === undefined || to === undefined) return undefined;
  return { path, side, from, to, quote: on.slice(0, QUOTED_MAX).map(({ text }) => text) };
}

/**
 * Finds the quoted text of a comment in the diff. Returns the last commented line, below which the comment is shown.
 * `moved` is true if the text is now at another line number. Undefined if no hunk contains the text.
 */
export function anchorOf(comment: Comment, file: DiffFile): { hunk: number; at: number; moved: boolean } | undefined {
  let moved: { hunk: number; at: number } | undefined;
  const wanted = comment.quote.join('\n');
  for (const [hunk, each] of file.hunks.entries()) {
    const lines = linesOf(each).filter((line) => numberOn(line, comment.side) !== undefined);
    for (const [index, line] of lines.entries()) {
      const quoted = lines.slice(index, index + comment.quote.length).map(({ text }) => text);
      if (quoted.join('\n') !== wanted) continue;
      const last = lines[Math.min(index + comment.to - comment.from, lines.length - 1)] ?? line;
      if (numberOn(line, comment.side) === comment.from) return { hunk, at: last.at, moved: false };
      moved ??= { hunk, at: last.at };
    }
  }
  return moved && { ...moved, moved: true };
}

/**
 * Formats comments as a prompt, in the order of files and lines: for each comment its location, the quoted lines, and
 * its text.
 */
export function promptOf(comments: readonly Comment[], { baseSha, files }: Pick<Diff, 'baseSha' | 'files'>): string {
  const order = new Map(files.map(({ path }, index) => [path, index]));
  const location = ({ path }: Comment) => order.get(path) ?? files.length;
  const sorted = [...comments].sort((a, b) => location(a) - location(b) || a.from - b.from);
  const count = pluralize(sorted.length, 'comment');
  const parts = sorted.map((comment) => {
    const quoted = comment.quote.map((line) => `> ${cut(line.replace(/\r$/, ''))}`);
    const left = comment.to - comment.from + 1 - comment.quote.length;
    if (left > 0) quoted.push(`> … ${pluralize(left, 'more line')}`);
    const where = `${comment.path}:${rangeOf(comment)}${comment.side === 'old' ? ' (in the old version)' : ''}`;
    return [where, ...quoted, comment.text.trim()].join('\n');
  });
  const first = `${count} on your changes since ${baseSha.slice(0, 10)}. Please address each comment.`;
  return [first, ...parts].join('\n\n');
}

/** Returns an error message if the prompt exceeds the size limit, otherwise undefined. */
export function promptTooLong(prompt: string): string | undefined {
  const bytes = new TextEncoder().encode(prompt).length;
  if (bytes <= PROMPT_MAX_BYTES) return undefined;
  const kb = (count: number) => `${Math.ceil(count / 1_000)} kB`;
  return `The comments are ${kb(bytes)}, but a prompt is limited to ${kb(PROMPT_MAX_BYTES)}. Shorten or delete some.`;
}

/** Formats a range of lines: `12` or `12-14`. */
export function rangeOf({ from, to }: Pick<Comment, 'from' | 'to'>): string {
  return from === to ? String(from) : `${from}-${to}`;
}

/**
 * Returns a text about the state of a comment.
 * @param isOutdated whether the commented lines are no longer in the diff
 * @param task the task that the comment became part of, if known
 */
export function commentState(
  { sent }: Pick<Comment, 'sent'>,
  isOutdated: boolean,
  task: Pick<Task, 'status'> | undefined,
): string {
  if (sent === undefined) return isOutdated ? 'not sent · the commented lines have changed' : 'not sent';
  if (task?.status === 'queued') return 'queued';
  if (task?.status === 'running' || task?.status === 'awaiting_input') return 'sent · the agent is working on it';
  if (task !== undefined && task.status !== 'completed') return `sent · the task ${WORDS[task.status]}`;
  if (isOutdated)
    return task === undefined
      ? 'sent · the commented lines have changed'
      : 'answered · the commented lines have changed';
  return task === undefined ? 'sent' : 'answered · the commented lines are unchanged';
}

const WORDS = { failed: 'failed', cancelled: 'was cancelled', interrupted: 'was interrupted' } as const;

function cut(line: string): string {
  return line.length <= QUOTED_LINE_CHARS ? line : `${line.slice(0, QUOTED_LINE_CHARS)}…`;
}

function isComment(value: unknown): value is Comment {
  const each = value as Partial<Comment> | null;
  return (
    typeof each?.id === 'string' &&
    typeof each.path === 'string' &&
    typeof each.from === 'number' &&
    typeof each.to === 'number' &&
    typeof each.text === 'string' &&
    Array.isArray(each.quote)
  );
}

function areComments(value: unknown): value is Comment[] {
  return Array.isArray(value) && value.every(isComment);
}

const COMMENTS = 'agent-console.comments.';
const commentsKey = (sessionId: string) => COMMENTS + sessionId;
const draftKey = (sessionId: string) => `agent-console.comment-draft.${sessionId}`;

/** Whether this browser stores comments of a session that were not sent, whether finished or not. */
export function hasComments(sessionId: string): boolean {
  return (
    commentsOf(sessionId).some(({ sent }) => sent === undefined) ||
    readStored<Comment | undefined>(draftKey(sessionId), undefined, isComment) !== undefined
  );
}

/** Cache of the comments in local storage, by session id. A session is added when its comments change. */
const useAll = create<Readonly<Record<string, readonly Comment[]>>>(() => ({}));

// Shows the comments that another tab has added or sent. Otherwise, this tab would overwrite them.
onStoredElsewhere((name) => {
  if (!name.startsWith(COMMENTS)) return;
  const sessionId = name.slice(COMMENTS.length);
  useAll.setState({ [sessionId]: storedComments(sessionId) });
});

function storedComments(sessionId: string): readonly Comment[] {
  return readStored(commentsKey(sessionId), [] as Comment[], areComments);
}

function commentsOf(sessionId: string): readonly Comment[] {
  return useAll.getState()[sessionId] ?? storedComments(sessionId);
}

function changeComments(sessionId: string, decide: (before: readonly Comment[]) => readonly Comment[]): void {
  const next = decide(commentsOf(sessionId));
  useAll.setState({ [sessionId]: next });
  writeStored(commentsKey(sessionId), next.length === 0 ? undefined : next);
}

/** Marks comments as sent with a task, even if the diff view was closed before the console accepted the prompt. */
export function markAsSent(sessionId: string, ids: readonly string[], taskId: string): void {
  changeComments(sessionId, (before) => withSent(before, ids, taskId));
}

/** Returns the comments with some of them marked as sent. Drops the oldest sent comments above SENT_MAX. */
function withSent(comments: readonly Comment[], ids: readonly string[], taskId: string): readonly Comment[] {
  const at = new Date().toISOString();
  const marked = comments.map((each) => (ids.includes(each.id) ? { ...each, sent: { taskId, at } } : each));
  const surplus = marked.filter(({ sent }) => sent !== undefined).slice(0, -SENT_MAX);
  return marked.filter((each) => !surplus.includes(each));
}

/**
 * Returns the comments of a session, and functions that change them. The comments are stored in local storage to
 * survive a reload.
 */
export function useComments(sessionId: string) {
  const used = useAll((all) => all[sessionId]);
  const stored = useMemo(() => storedComments(sessionId), [sessionId]);
  const comments = used ?? stored;
  return {
    comments,
    /** Adds or replaces a comment by id; removes it when its text is empty. */
    put: useCallback(
      (comment: Comment) =>
        changeComments(sessionId, (before) => {
          const known = before.some(({ id }) => id === comment.id);
          if (comment.text.trim() === '') return before.filter(({ id }) => id !== comment.id);
          return known ? before.map((each) => (each.id === comment.id ? comment : each)) : [...before, comment];
        }),
      [sessionId],
    ),
    remove: useCallback(
      (ids: readonly string[]) => changeComments(sessionId, (before) => before.filter(({ id }) => !ids.includes(id))),
      [sessionId],
    ),
  };
}

export interface Editing {
  /** The comment, with the text that it had when the editor was opened. */
  comment: Comment;
  /** Whether the user opened the editor, so that it takes the focus. False if the comment was restored from storage. */
  begun: boolean;
}

/**
 * Returns the comment that is open in the editor, and functions that change it. The open comment is stored, like
 * finished comments, and survives a reload.
 */
export function useDraft(sessionId: string) {
  const name = draftKey(sessionId);
  const [editing, setEditing] = useState<Editing | undefined>(() => {
    const comment = readStored<Comment | undefined>(name, undefined, isComment);
    return comment && { comment, begun: false };
  });
  // The typed text is in a ref instead of the state, so that a key press does not render the page again.
  const latest = useRef(editing?.comment);
  const change = (comment: Comment | undefined) => {
    latest.current = comment;
    writeStored(name, comment);
  };
  return {
    editing,
    begin(comment: Comment) {
      change(comment);
      setEditing({ comment, begun: true });
    },
    write(text: string) {
      if (latest.current !== undefined) change({ ...latest.current, text });
    },
    latest: () => latest.current,
    end() {
      change(undefined);
      setEditing(undefined);
    },
  };
}
