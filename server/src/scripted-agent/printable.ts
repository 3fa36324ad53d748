/**
 * Text of unknown origin that is safe to print: no control characters but newline and tab, so that the result of a tool
 * or the text of a prompt can neither control the terminal nor imitate this program's titles.
 */
export function printable(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}
