/** What people read of a question. */
interface Words {
  text: string;
  options: readonly { id: string; label: string }[];
}

/**
 * Whether two readings are of the same question: the same words and the same answers in the same order. Where lines break
 * depends on the window's width, and which answer is marked on the person's arrows; neither makes another question.
 */
export function isSameQuestion(one: Words, other: Words): boolean {
  return wordsOf(one) === wordsOf(other);
}

function wordsOf({ text, options }: Words): string {
  const answers = options.map(({ id, label }) => [id, withoutSpace(label)]);
  return JSON.stringify([withoutSpace(text), answers]);
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}
