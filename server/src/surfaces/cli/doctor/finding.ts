/** What one look found. */
export interface Finding {
  check: string;
  /** `note`: worth knowing, nothing to mend. */
  result: 'ok' | 'note' | 'problem';
  detail: string;
  /** What to do about it; null where nothing needs doing. */
  mend: string | null;
}

/** What every look may ask for. */
export interface Place {
  env: Readonly<Record<string, string | undefined>>;
  /** Data directory, which may not exist. */
  home: string;
  /** Folder of the built programs. */
  programs: string;
}

export const ok = (check: string, detail: string): Finding => ({ check, result: 'ok', detail, mend: null });
export const note = (check: string, detail: string, mend: string | null = null): Finding => ({
  check,
  result: 'note',
  detail,
  mend,
});
export const problem = (check: string, detail: string, mend: string): Finding => ({
  check,
  result: 'problem',
  detail,
  mend,
});

/** The first few of many, and how many more there are. */
export function some(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}

/** `1.5 GB`, `12 MB`: powers of 1 000, as disks are sold. */
export function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1_000 ** power;
  return `${value >= 100 || power === 0 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}
