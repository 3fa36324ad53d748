/** Returns the non-empty fields, trimmed. */
export function filled<K extends string>(fields: Readonly<Record<K, string>>): Partial<Record<K, string>> {
  const entries = Object.entries<string>(fields).map(([name, value]) => [name, value.trim()]);
  return Object.fromEntries(entries.filter(([, value]) => value !== '')) as Partial<Record<K, string>>;
}
