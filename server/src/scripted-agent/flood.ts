const LINE_BYTES = 80;
const CHUNK_LINES = 800;

/**
 * Printable lines that are exactly `bytes` long as they leave the terminal, where each line's end is two bytes (CR LF).
 * The last line is shorter or longer; a single byte is the only amount that cannot end in a newline.
 */
export function* floodChunks(bytes: number): Generator<string> {
  if (bytes === 1) yield '.';
  const lines = Math.floor(bytes / LINE_BYTES);
  const rest = bytes - lines * LINE_BYTES;
  // One byte is no line; it makes the line before it longer.
  const whole = rest === 1 ? lines - 1 : lines;
  for (let line = 0; line < whole; line += CHUNK_LINES) {
    let chunk = '';
    for (let one = line; one < Math.min(whole, line + CHUNK_LINES); one += 1) chunk += text(one, LINE_BYTES);
    yield chunk;
  }
  const last = bytes - Math.max(0, whole) * LINE_BYTES;
  if (last > 1) yield text(whole, last);
}

function text(number: number, bytes: number): string {
  return `${`${number} ${'flood '.repeat(LINE_BYTES)}`.slice(0, bytes - 2)}\n`;
}
