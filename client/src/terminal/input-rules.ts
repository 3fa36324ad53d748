/** Focus and mouse reports: true of a moment, so that they are not kept for later. */
const REPORT = /^\u001b\[(?:[IO]|<[\d;]+[Mm]|M[\s\S]{3})/;

/** Whether a terminal sent this about the mouse or the focus, and nobody typed it. */
export function isReport(data: string): boolean {
  return REPORT.test(data);
}

/**
 * Pasted text as a terminal may have it: without control characters, since text from a web page could otherwise end the
 * brackets around a paste and go on as commands.
 */
export function sanitizePaste(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

/** Lines that a program without bracketed paste would run as they arrive. */
export function executedLines(text: string): number {
  return text.split('\n').length - 1;
}

/** The address of a link if it may be offered for opening: http and https only. */
export function parseWebUrl(text: string): URL | undefined {
  try {
    const url = new URL(text);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
  } catch {
    return undefined;
  }
}
