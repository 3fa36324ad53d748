/**
 * Matches focus and mouse reports. Without a connection, they are dropped, because they are only valid at the time when
 * they occur.
 */
const REPORT = /^\u001b\[(?:[IO]|<[\d;]+[Mm]|M[\s\S]{3})/;

/** Whether the terminal generated this data as a focus or mouse report. */
export function isReport(data: string): boolean {
  return REPORT.test(data);
}

/**
 * Removes control characters from pasted text, because they could end the bracketed paste, so that the rest would run
 * as commands.
 */
export function sanitizePaste(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

/** Returns the number of lines that a program without bracketed paste would run immediately. */
export function executedLines(text: string): number {
  return text.split('\n').length - 1;
}
