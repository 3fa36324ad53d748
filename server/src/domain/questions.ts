/** Visible content of a question. */
interface QuestionContent {
  text: string;
  options: readonly { id: string; label: string }[];
}

/**
 * Whether two readings of a screen show the same question, i.e. the same text and answers. White space and the
 * highlighted answer are ignored.
 */
export function isSameQuestion(one: QuestionContent, other: QuestionContent): boolean {
  return comparable(one) === comparable(other);
}

function comparable({ text, options }: QuestionContent): string {
  const answers = options.map(({ id, label }) => [id, withoutSpace(label)]);
  return JSON.stringify([withoutSpace(text), answers]);
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}
