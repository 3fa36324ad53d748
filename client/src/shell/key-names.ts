const NAMES: Record<string, string> = {
  Shift: '⇧',
  Enter: '↵',
  Escape: 'Esc',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
};

/**
 * Formats a shortcut such as `$mod+KeyK` with the key names that are printed on keyboards. Optional modifiers
 * (`[Shift]+?`) are omitted.
 */
export function keyName(press: string, mac: boolean): string {
  const parts = press.split('+').filter((part) => !/^\[.+\]$/.test(part));
  const symbolOf = (part: string) => {
    if (part === '$mod') return mac ? '⌘' : 'Ctrl';
    return NAMES[part] ?? part.replace(/^(?:Key|Digit)(?=.)/, '');
  };
  return parts.map(symbolOf).join(mac ? '' : ' + ');
}
