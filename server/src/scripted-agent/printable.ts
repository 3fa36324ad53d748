/**
 * Text of unknown origin as it may be shown: no control characters but newline and tab, since what a tool answers or a
 * prompt contains must not drive the terminal or pose as this program's own marks.
 */
export function printable(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}
