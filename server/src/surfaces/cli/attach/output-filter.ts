/**
 * Maximum size of an incomplete escape sequence. The filter keeps such a sequence until its rest arrives, and drops a
 * longer one.
 */
const SEQUENCE_MAX_BYTES = 64 * 1_024;

/**
 * A complete escape sequence at the current position: CSI, a string sequence (OSC, DCS, SOS, PM, APC), or two
 * characters.
 */
const SEQUENCE =
  /\x1b(?:\[([0-?]*)([ -/]*)([@-~])|([\]PX^_])([^\x07\x1b\x18\x1a]*)(?:\x07|\x1b\\|[\x18\x1a])|[ -/]*[0-OQ-WYZ\\`-~])/y;

/** OSC sequences with which a program sets or queries a colour. */
const COLOR_OSC = /^(?:4|10|11|12|17|19);/;

/** Whether the filter passes an escape sequence on to a person's terminal. */
function isPassed([, parameters = '', intermediates = '', final, string, content = '']: RegExpExecArray): boolean {
  if (string === ']') return !/^52;/.test(content) && !(COLOR_OSC.test(content) && content.includes('?'));
  if (string !== undefined) return false;
  switch (final) {
    // `CSI n` and `CSI c` query the status and the attributes of the terminal. `CSI t` queries or changes its window.
    case 'n':
    case 'c':
    case 't':
      return false;
    // `CSI > q` queries the terminal's version. Without `>`, the sequence sets the shape of the cursor.
    case 'q':
      return !parameters.startsWith('>');
    // `CSI u` with a prefix selects a key encoding in which the detach keys would not be recognized. Without a prefix,
    // the sequence restores the cursor.
    case 'u':
      return !/^[<=>?]/.test(parameters);
    case 'm':
      return !parameters.startsWith('>');
    case 'p':
      return !intermediates.includes('$');
    default:
      return true;
  }
}

/**
 * Returns a function that filters terminal output before a person's terminal shows it. The function removes access to
 * the clipboard, changes of the key encoding, and queries, which the console has already answered.
 */
export function createOutputFilter(): (chunk: Buffer) => Buffer {
  let rest = '';
  return (chunk) => {
    // Latin-1 has one character per byte, so a UTF-8 character that is split between two chunks is preserved.
    const text = rest + chunk.toString('latin1');
    rest = '';
    let passed = '';
    let at = 0;
    for (;;) {
      const start = text.indexOf('\x1b', at);
      if (start < 0) return bytes(passed + text.slice(at));
      passed += text.slice(at, start);
      SEQUENCE.lastIndex = start;
      const found = SEQUENCE.exec(text);
      if (found !== null) {
        if (isPassed(found)) passed += found[0];
        at = start + found[0].length;
        continue;
      }
      if (isUnfinished(text.slice(start))) {
        if (text.length - start <= SEQUENCE_MAX_BYTES) rest = text.slice(start);
        return bytes(passed);
      }
      // The escape character begins no valid escape sequence, so only this character is dropped.
      at = start + 1;
    }
  };
}

function isUnfinished(text: string): boolean {
  return /^\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b\x18\x1a]*\x1b?|[ -/]*)$/.test(text);
}

/** Returns the bytes without C1 control characters, which some terminals interpret as the start of a sequence. */
function bytes(text: string): Buffer {
  return Buffer.from(text.replace(/\xc2[\x80-\x9f]/g, ''), 'latin1');
}
