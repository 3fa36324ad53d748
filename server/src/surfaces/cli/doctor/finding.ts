/** Result of one check of doctor. */
export interface Finding {
  check: string;
  /** `note` is information that is worth knowing but not a problem. */
  result: 'ok' | 'note' | 'problem';
  detail: string;
  /** The suggested fix, or null if nothing needs to be done. */
  mend: string | null;
}

/** The installation of the console that doctor examines. */
export interface Installation {
  env: Readonly<Record<string, string | undefined>>;
  /** Data directory. It may not exist. */
  home: string;
  /** Directory of the built executables. */
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

/** Formats a size in decimal units: `1.5 GB`, `12 MB`. */
export function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1_000 ** power;
  return `${value >= 100 || power === 0 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}
