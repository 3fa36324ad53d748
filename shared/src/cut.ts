/** This file contains functions that cut long texts and mark the cut. */

/** Returns at most `chars` characters of a text. Never splits a surrogate pair. */
export function firstChars(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const last = text.charCodeAt(chars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars);
}

/**
 * Cuts a text that is longer than `chars` characters, and appends "… [cut; <whole>]". `whole` says how to read the full
 * text.
 */
export function cutText(text: string, chars: number, whole: string): string {
  return text.length <= chars ? text : `${firstChars(text, chars)}… [cut; ${whole}]`;
}

/** Cuts a summary for lists. A summary longer than `chars` ends with "…" and is marked as truncated. */
export function cutSummary(summary: string | null, chars: number): { summary: string | null; summaryTruncated?: true } {
  if (summary === null || summary.length <= chars) return { summary };
  return { summary: `${firstChars(summary, chars)}…`, summaryTruncated: true };
}

/** Whether a text is a task's summary. If the summary was cut, only the beginning of the text is compared with it. */
export function isSummary(
  task: { summary: string | null; summaryTruncated?: true | undefined },
  text: string,
): boolean {
  if (task.summary === null) return false;
  return task.summaryTruncated ? text.startsWith(task.summary.slice(0, -1)) : task.summary === text;
}
