import { TITLE_MAX_CHARS } from '@agent-console/shared/limits/texts';

/** State of OSC 9;4: 0 none, 1 percent, 2 error, 3 busy without a number, 4 paused. */
export type ProgressState = 0 | 1 | 2 | 3 | 4;

/** What one OSC sequence says. */
export type StatusSignal =
  | { type: 'title'; title: string }
  | { type: 'progress'; state: ProgressState; percent: number | null }
  | { type: 'notification'; title: string | null; text: string };

/** Reads the bytes between `ESC ]` and its end; null for every other command and for what does not parse. */
export function readPayload(payload: Buffer): StatusSignal | null {
  const separator = payload.indexOf(0x3b);
  if (separator < 1 || separator > 3) return null;
  const rest = payload.subarray(separator + 1);
  switch (payload.toString('latin1', 0, separator)) {
    case '0':
    case '2':
      return {
        type: 'title',
        title: plain(rest)
          .slice(0, TITLE_MAX_CHARS)
          .replace(/[\ud800-\udbff]$/, ''),
      };
    case '9':
      return readNine(plain(rest));
    case '777': {
      const [, title, text] = /^notify;([^;]*)(?:;(.*))?$/s.exec(plain(rest)) ?? [];
      return title === undefined ? null : { type: 'notification', title, text: text ?? '' };
    }
    default:
      return null;
  }
}

/** OSC 9 is ConEmu's family of numbered commands, of which 4 is progress, and everywhere else a notification. */
function readNine(text: string): StatusSignal | null {
  const [, state, percent] = /^4;([0-4])(?:;(\d{0,3})?)?$/.exec(text) ?? [];
  if (state !== undefined) {
    const value = percent ? Math.min(100, Number(percent)) : null;
    return { type: 'progress', state: Number(state) as ProgressState, percent: value };
  }
  return text === '' || /^\d{1,2}(;|$)/.test(text) ? null : { type: 'notification', title: null, text };
}

/** The text without control characters, which have no place in a title and could drive a terminal that shows it. */
function plain(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '');
}
