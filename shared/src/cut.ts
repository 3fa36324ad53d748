/** Texts cut to a length, with a mark. */

/** The first characters of a text, at most `chars`; never half of a surrogate pair. */
export function firstChars(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const last = text.charCodeAt(chars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars);
}

/** A text of at most `chars` characters. A longer one ends with "…" and, in brackets, where to read all of it. */
export function cutText(text: string, chars: number, whole: string): string {
  return text.length <= chars ? text : `${firstChars(text, chars)}… [cut; ${whole}]`;
}

/** A summary as lists show it: a longer one than `chars` ends with "…" and is marked. */
export function cutSummary(summary: string | null, chars: number): { summary: string | null; summaryTruncated?: true } {
  if (summary === null || summary.length <= chars) return { summary };
  return { summary: `${firstChars(summary, chars)}…`, summaryTruncated: true };
}

/** Whether a text is the summary of a task, which may be cut. */
export function isSummary(
  task: { summary: string | null; summaryTruncated?: true | undefined },
  text: string,
): boolean {
  if (task.summary === null) return false;
  return task.summaryTruncated ? text.startsWith(task.summary.slice(0, -1)) : task.summary === text;
}
