/** Bytes of an unfinished sequence that are held back. A longer one is dropped. */
const SEQUENCE_MAX_BYTES = 64 * 1_024;

/** A complete sequence at the current position: CSI, a string sequence (OSC, DCS, SOS, PM, APC), or two characters. */
const SEQUENCE =
  /\x1b(?:\[([0-?]*)([ -/]*)([@-~])|([\]PX^_])([^\x07\x1b\x18\x1a]*)(?:\x07|\x1b\\|[\x18\x1a])|[ -/]*[0-OQ-WYZ\\`-~])/y;

/** Colours that a program can ask for. */
const COLOR_OSC = /^(?:4|10|11|12|17|19);/;

/** Whether a sequence may reach a person's terminal. */
function isPassed([, parameters = '', intermediates = '', final, string, content = '']: RegExpExecArray): boolean {
  if (string === ']') return !/^52;/.test(content) && !(COLOR_OSC.test(content) && content.includes('?'));
  if (string !== undefined) return false;
  switch (final) {
    // Device status, device attributes, reports and changes of the window
    case 'n':
    case 'c':
    case 't':
      return false;
    // The version of the terminal; without `>`, the shape of the cursor
    case 'q':
      return !parameters.startsWith('>');
    // Encodings of keys in which the detach keys would not be recognized; without a prefix, the saved cursor
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
 * Returns a function that filters terminal output before a person's terminal shows it. Removed are questions to the
 * terminal, which the console has already answered, access to the clipboard, and other encodings of keys.
 */
export function createOutputFilter(): (chunk: Buffer) => Buffer {
  let rest = '';
  return (chunk) => {
    // One character per byte, so that no character is cut.
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
      // Not a sequence: the escape character alone is dropped.
      at = start + 1;
    }
  };
}

function isUnfinished(text: string): boolean {
  return /^\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b\x18\x1a]*\x1b?|[ -/]*)$/.test(text);
}

/** Returns the bytes without the one-character controls of C1, which some terminals take for the start of a sequence. */
function bytes(text: string): Buffer {
  return Buffer.from(text.replace(/\xc2[\x80-\x9f]/g, ''), 'latin1');
}
