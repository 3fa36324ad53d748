import type { HighlightRequest, HighlightResponse } from './colours.ts';
import { coloursOf } from './tokens.ts';

// Runs in a web worker, because tokenizing the first line of a language compiles its regular expressions, which is
// slow.
addEventListener('message', async ({ data: { id, lines, language, grammar } }: MessageEvent<HighlightRequest>) => {
  const colours = await coloursOf(lines, language, grammar).catch(() => []);
  postMessage({ id, colours } satisfies HighlightResponse);
});
