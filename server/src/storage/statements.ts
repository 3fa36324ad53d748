/** Statements cached per table: the product uses fewer, and each takes about 10 kB. */
const STATEMENTS_MAX = 200;

/**
 * A least-recently-used cache of prepared statements: building and preparing one costs six times as much as running it.
 */
export function createStatements() {
  const cached = new Map<string, unknown>();
  return {
    /**
     * The cached statement for this key, prepared if missing. A key must always come with the same `prepare`, and so the
     * same type. With an undefined part the statement is not cached.
     */
    of<Statement>(parts: readonly (string | undefined)[], prepare: () => Statement): Statement {
      if (parts.includes(undefined)) return prepare();
      const key = parts.join(' | ');
      const statement = (cached.get(key) as Statement | undefined) ?? prepare();
      cached.delete(key);
      cached.set(key, statement);
      if (cached.size > STATEMENTS_MAX) {
        const [oldest = key] = cached.keys();
        cached.delete(oldest);
      }
      return statement;
    },
  };
}
