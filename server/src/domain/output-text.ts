const ESC = 0x1b;
/**
 * Maximum length in bytes of an escape sequence that is never split between two pages of output. A longer sequence may
 * be split like text.
 */
export const SEQUENCE_MAX = 4_096;

/** Returns the length of the longest prefix that does not end inside a UTF-8 character. */
export function lastCompleteCharacter(data: Buffer): number {
  for (let back = 1; back <= 4 && back <= data.length; back += 1) {
    const byte = data[data.length - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const need = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return need > back ? data.length - back : data.length;
  }
  return data.length;
}

/** Returns the index after the escape sequence that starts at `at`; null if the sequence is incomplete. */
function sequenceEnd(data: Buffer, at: number): number | null {
  const kind = data[at + 1];
  if (kind === undefined) return null;
  if (kind === 0x5b) {
    for (let i = at + 2; i < data.length; i += 1) {
      const byte = data[i] ?? 0;
      if (byte >= 0x40 && byte <= 0x7e) return i + 1;
    }
    return null;
  }
  // OSC, DCS, SOS, PM and APC sequences end at ST. An OSC sequence may also end at BEL.
  if (kind === 0x5d || kind === 0x50 || kind === 0x58 || kind === 0x5e || kind === 0x5f) {
    for (let i = at + 2; i < data.length; i += 1) {
      if (data[i] === 0x07 && kind === 0x5d) return i + 1;
      if (data[i] === ESC) return data[i + 1] === 0x5c ? i + 2 : data[i + 1] === undefined ? null : i;
    }
    return null;
  }
  return kind >= 0x20 && kind <= 0x2f ? (data[at + 2] === undefined ? null : at + 3) : at + 2;
}

/** Returns the length of a leading escape sequence; null if there is none or it is incomplete. */
export function leadingSequenceEnd(data: Buffer): number | null {
  return data[0] === ESC ? sequenceEnd(data, 0) : null;
}

/** Returns the length of the longest prefix that ends neither inside a character nor inside an escape sequence. */
export function lastSequenceBoundary(data: Buffer): number {
  const whole = lastCompleteCharacter(data);
  const start = Math.max(0, whole - SEQUENCE_MAX);
  let at = data.indexOf(ESC, start);
  while (at >= 0 && at < whole) {
    const end = sequenceEnd(data.subarray(0, whole), at);
    if (end === null) return at;
    at = data.indexOf(ESC, end);
  }
  return whole;
}

const SEQUENCES = new RegExp(
  [
    '\\x1b\\[[0-?]*[ -/]*[@-~]',
    '\\x1b\\][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)',
    '\\x1b[PX^_][^\\x1b]*\\x1b\\\\',
    '\\x1b[ -/]+[0-~]',
    '\\x1b[0-Z\\\\-~]',
  ].join('|'),
  'g',
);

/**
 * Returns text without escape sequences. If a line was rewritten after a carriage return, only its last version
 * remains.
 */
export function plainLines(text: string): string {
  return text
    .replace(SEQUENCES, '')
    .replace(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => (line.includes('\r') ? (line.split('\r').findLast((part) => part !== '') ?? '') : line))
    .join('\n')
    .replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '');
}

/**
 * Escape sequences that do not move the cursor (colours, titles, modes, character sets, bell), and line ends. Output
 * without other control characters can be shown without a terminal.
 */
const PLAIN_SEQUENCES = new RegExp(
  [
    '\\x1b\\[[0-9;:]*m',
    '\\x1b\\[\\?(?:1|7|12|25|1000|1002|1003|1004|1006|2004|2026)[hl]',
    '\\x1b\\[[0-9]* q',
    '\\x1b\\][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)',
    '\\x1b[()*+][0-9A-Z]',
    '\\x1b[=>7]',
    '\\x07',
    '\\r+\\n',
  ].join('|'),
  'g',
);

/** Whether output only appends lines, so that it can be shown without a terminal that renders it. */
export function onlyAddsLines(text: string): boolean {
  return !/[\x00-\x08\x0b-\x1f\x7f]/.test(text.replace(PLAIN_SEQUENCES, ''));
}
