const HOME = '\\x1b\\[(?:1?;?1?)H';
const CLEAR = '\\x1b\\[[23]J';
const BETWEEN = '(?:\\x1b\\[[\\d;:]*m|\\x1b\\[\\?25[hl]|\\x1b\\[3J)*';
/** Reset, a switch to the alternate screen, or a cleared screen with the cursor at home. */
const RESTART = new RegExp(
  ['\\x1bc', '\\x1b\\[\\?(?:1049|1047|47)h', `${HOME}${BETWEEN}\\x1b\\[[023]?J`, `${CLEAR}${BETWEEN}${HOME}`].join('|'),
);

/**
 * Where a terminal may begin in output of which the beginning is missing: at a point behind which nothing before it
 * matters, else at a line's beginning, else at a sequence. Index into `data`.
 */
export function startIn(data: Buffer): { at: number; kind: 'restart' | 'line' | 'sequence' } {
  const restart = RESTART.exec(data.toString('latin1'));
  if (restart !== null) return { at: restart.index, kind: 'restart' };
  const line = data.indexOf(0x0a) + 1;
  if (line > 0) return { at: line, kind: 'line' };
  return { at: Math.max(0, data.indexOf(0x1b)), kind: 'sequence' };
}
