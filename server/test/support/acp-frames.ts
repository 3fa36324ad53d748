import { schemaErrors } from './acp-schema.ts';
import type { OpenProgram } from './memory-runner/programs.ts';

/**
 * Maximum length of a line that is searched for a request id. Longer lines occur only in tests of sizes, and contain no
 * id.
 */
const REQUEST_MAX_CHARS = 100_000;

/** Returns functions that check every line that the console sends to an agent over ACP against the published schema. */
export function createFrameChecks() {
  const violations: string[] = [];

  /** Stores the method of each request by the agent, because a response does not contain it. */
  function storeMethods(methods: Map<unknown, string>, text: string): void {
    for (const line of text.split('\n')) {
      if (line.length > REQUEST_MAX_CHARS || !line.includes('"method"') || !/"id"\s*:/.test(line)) continue;
      try {
        const { id, method } = JSON.parse(line);
        if (id !== undefined) methods.set(id, method);
      } catch {
        // Skips the line, because it is not valid JSON.
      }
    }
  }

  return {
    /**
     * Wraps a program so that every line sent to its stdin is checked against the schema; `finish` reports violations.
     * A program in a terminal is not checked.
     */
    checked(open: OpenProgram): OpenProgram {
      return (context) => {
        if (context.spec.mode !== 'pipe') return open(context);
        const methods = new Map<unknown, string>();
        const program = open({
          ...context,
          print(text) {
            storeMethods(methods, text);
            context.print(text);
          },
        });
        return {
          ...program,
          input(data) {
            for (const line of data.toString().split(/(?<=\n)/)) {
              const errors = schemaErrors(line, methods.get(JSON.parse(line).id));
              if (errors.length > 0) violations.push(`${errors.join('; ')}: ${line}`);
            }
            program.input(data);
          },
        };
      };
    },
    /** Throws if a line violated the schema. */
    finish(): void {
      if (violations.length > 0) throw new Error(`lines that violate the schema of ACP:\n${violations.join('\n')}`);
    },
  };
}
