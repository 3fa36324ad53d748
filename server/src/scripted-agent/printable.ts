/** Removes control characters except newline and tab, so that text cannot control the terminal or change its title. */
export function printable(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}
