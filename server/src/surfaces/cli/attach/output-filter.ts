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

/** OSC sequences that set a title, a link or colours, or reset colours. */
const TITLE_OR_LINK_OSC = /^(?:[012]|8);/;
const COLOR_OSC = /^(?:[45]|1\d|10[45]|11\d)(?:;[^?]*)?$/;

/**
 * The CSI sequences that the filter passes: those that move the cursor, or change the text, its look or modes. The keys
 * are the prefix of the parameters and the intermediate characters; the values are the allowed final characters. All
 * other CSI sequences are dropped, because they may query the terminal, change its windows or keys, or print.
 */
const PASSED_CSI: Readonly<Record<string, string>> = {
  '': '@ABCDEFGHIJKLMPSTXZ`abdefghlmrsu',
  '?': 'JKhlrs',
  ' ': '@Aq',
  '!': 'p',
  '"': 'q',
  '#': 'PQpq{}',
  $: 'rtvxz{',
  "'": '}~',
  '*': 'x',
};

/** Control character to which some terminals answer with a configured text. */
const ENQUIRY = '\x05';
/** First byte of C1 control characters in UTF-8, which some terminals interpret as the start of a sequence. */
const C1_LEAD = '\xc2';

/** Sequence with which a program asks for the type of the terminal. */
const IDENTIFY = '\x1bZ';

/** Whether the filter passes an escape sequence on to a person's terminal. */
function isPassed([
  sequence,
  parameters,
  intermediates = '',
  final = '',
  string,
  content = '',
]: RegExpExecArray): boolean {
  if (string !== undefined) return string === ']' && (TITLE_OR_LINK_OSC.test(content) || COLOR_OSC.test(content));
  if (parameters === undefined) return sequence !== IDENTIFY;
  const [, prefix] = /^([<=>?]*)[\d:;]*$/.exec(parameters) ?? [];
  return prefix !== undefined && (PASSED_CSI[prefix + intermediates] ?? '').includes(final);
}

/**
 * Returns a function that filters terminal output before a person's terminal shows it. The function passes text, the
 * sequences that change how the terminal shows it, titles, links and colours. It removes everything else, for example
 * access to the clipboard, files and notifications, changes of the key encoding, and queries, which the console has
 * already answered.
 */
export function createOutputFilter(): (chunk: Buffer) => Buffer {
  let rest = '';
  let heldLead = '';

  /**
   * Returns the bytes without C1 control characters and ENQUIRY. Holds back a first byte of C1 controls until the byte
   * after it is known.
   */
  function withoutControls(text: string): Buffer {
    // Of repeated first bytes, only one is kept. Otherwise, after the last one was removed with its control character,
    // the one before it could form a new control character with the next byte.
    const bytes = (heldLead + text).replaceAll(ENQUIRY, '').replace(/\xc2+/g, C1_LEAD);
    heldLead = bytes.endsWith(C1_LEAD) ? C1_LEAD : '';
    const complete = bytes.slice(0, bytes.length - heldLead.length);
    return Buffer.from(complete.replace(/\xc2[\x80-\x9f]+/g, ''), 'latin1');
  }

  return (chunk) => {
    // Latin-1 has one character per byte, so a UTF-8 character that is split between two chunks is preserved.
    const text = rest + chunk.toString('latin1');
    rest = '';
    let passed = '';
    let at = 0;
    for (;;) {
      const start = text.indexOf('\x1b', at);
      if (start < 0) return withoutControls(passed + text.slice(at));
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
        return withoutControls(passed);
      }
      // The escape character begins no valid escape sequence, so only this character is dropped.
      at = start + 1;
    }
  };
}

function isUnfinished(text: string): boolean {
  return /^\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b\x18\x1a]*\x1b?|[ -/]*)$/.test(text);
}
