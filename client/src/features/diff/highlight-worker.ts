import type { Answer, Question } from './colours.ts';
import { coloursOf } from './tokens.ts';

// Beside the page, since the first line of a language takes as long as its regular expressions take to compile.
addEventListener('message', async ({ data: { id, lines, language, grammar } }: MessageEvent<Question>) => {
  const colours = await coloursOf(lines, language, grammar).catch(() => []);
  postMessage({ id, colours } satisfies Answer);
});
