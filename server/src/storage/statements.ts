/** Statements kept per table: the product has fewer forms of them, and each holds about 10 kB. */
const STATEMENTS_KEPT = 200;

/**
 * Keeps prepared statements by their form; the least recently used one goes first. To build and prepare one costs six
 * times as much as to run it.
 */
export function createStatements() {
  const kept = new Map<string, unknown>();
  return {
    /**
     * The statement of this form, made when it is not there. A form stands for one `prepare`, and so for one type; one
     * with an undefined part is not kept.
     */
    of<Statement>(parts: readonly (string | undefined)[], prepare: () => Statement): Statement {
      if (parts.includes(undefined)) return prepare();
      const form = parts.join(' | ');
      const known = kept.get(form) as Statement | undefined;
      const statement = known ?? prepare();
      kept.delete(form);
      kept.set(form, statement);
      if (kept.size > STATEMENTS_KEPT) {
        const [oldest = form] = kept.keys();
        kept.delete(oldest);
      }
      return statement;
    },
  };
}
