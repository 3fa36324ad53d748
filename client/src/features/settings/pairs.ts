/**
 * Parses lines such as `NAME=value`. In the result, a name without a value has the value null. Returns undefined if
 * there are no lines.
 */
export function parsePairs(text: string): Record<string, string | null> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return undefined;
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=');
      if (at < 0) return [line.trim(), null];
      const value = line.slice(at + 1);
      return [line.slice(0, at).trim(), value === '' ? null : value];
    }),
  );
}
