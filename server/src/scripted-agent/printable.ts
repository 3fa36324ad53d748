/**
 * Makes text of unknown origin safe to print: removes all control characters except newline and tab, so that a tool
 * result or a prompt can neither control the terminal nor imitate this program's titles.
 */
export function printable(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}
