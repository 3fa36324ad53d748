import { SIGNALS_MAX_BYTES } from '@agent-console/shared/limits/activity';
import { shellWord } from './start.ts';

/**
 * Commands that an agent's hooks run. Each command appends one line to the signals file with only `sh` and standard
 * tools, without network, and always exits with 0, so that no tool call fails or waits. The commands print nothing,
 * because agents read what a hook prints. Once the file has reached SIGNALS_MAX_BYTES, further lines are dropped; the
 * agent's screen still shows the agent's state.
 */

/** Returns a command that appends the JSON on the hook's stdin to the signals file, as one line. */
export function appendInput(signalsFile: string): string {
  return guarded(signalsFile, `l=$(tr -d '\\n\\r'); [ -z "$l" ] || printf '%s\\n' "$l" >>"$f"`);
}

/**
 * Returns a command that appends only the event's name to the signals file, so that what tools read and write is not
 * stored.
 */
export function appendName(signalsFile: string, event: string): string {
  return guarded(signalsFile, `printf '%s\\n' ${shellWord(JSON.stringify({ hook_event_name: event }))} >>"$f"`);
}

/** Returns the program and arguments of a command that appends the JSON in its first argument to the signals file. */
export function appendArgument(signalsFile: string): string[] {
  return ['sh', '-c', guarded(signalsFile, `printf '%s\\n' "$1" | tr -d '\\r' >>"$f"`), 'agent-console'];
}

function guarded(signalsFile: string, append: string): string {
  const small = `[ "$( (wc -c <"$f") 2>/dev/null || echo 0)" -lt ${SIGNALS_MAX_BYTES} ]`;
  return `f=${shellWord(signalsFile)}; umask 077; { ${small} && { ${append}; }; } >/dev/null 2>&1; exit 0`;
}
