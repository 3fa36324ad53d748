/** Parses JSON with comments and trailing commas, as editors and some agents write it; undefined when invalid. */
export function parseJsonWithComments(text: string): unknown {
  const plain = text.replace(
    /("(?:[^"\\]|\\.)*")|\/\/[^\n\r]*|\/\*[\s\S]*?\*\/|,(?=(?:\s|\/\/[^\n\r]*|\/\*[\s\S]*?\*\/)*[\]}])/g,
    (_, string: string | undefined) => string ?? '',
  );
  try {
    return JSON.parse(plain.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}
