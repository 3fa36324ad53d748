import { SIGNALS_MAX_BYTES } from '@agent-console/shared/limits/activity';
import { shellWord } from './start.ts';

/**
 * Commands that an agent's hooks run. Each appends one line to the signals file with `sh` alone, without network, and
 * exits with 0 whatever happens, so that no tool call fails or waits. They print nothing, because agents read what a hook
 * prints. Beyond SIGNALS_MAX_BYTES lines are dropped; the agent's screen still shows its state.
 */

/** Appends the JSON that the agent writes to the hook's stdin, as one line. */
export function appendInput(signalsFile: string): string {
  return guarded(signalsFile, `l=$(tr -d '\\n\\r'); [ -z "$l" ] || printf '%s\\n' "$l" >>"$f"`);
}

/** Appends a line with the event's name alone: what tools read and write stays out of the file. */
export function appendName(signalsFile: string, event: string): string {
  return guarded(signalsFile, `printf '%s\\n' ${shellWord(JSON.stringify({ hook_event_name: event }))} >>"$f"`);
}

/** Appends the JSON in the command's first argument; as argv, for programs that take no shell command. */
export function appendArgument(signalsFile: string): string[] {
  return ['sh', '-c', guarded(signalsFile, `printf '%s\\n' "$1" | tr -d '\\r' >>"$f"`), 'agent-console'];
}

function guarded(signalsFile: string, append: string): string {
  const small = `[ "$( (wc -c <"$f") 2>/dev/null || echo 0)" -lt ${SIGNALS_MAX_BYTES} ]`;
  return `f=${shellWord(signalsFile)}; umask 077; { ${small} && { ${append}; }; } >/dev/null 2>&1; exit 0`;
}
