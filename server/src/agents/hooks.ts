import { SIGNALS_MAX_BYTES } from '@agent-console/shared/limits/signs';
import { shellWord } from './parts.ts';

/**
 * Commands by which an agent's hooks report: each appends one line to the signals file, by `sh` alone, without network,
 * and ends with 0 whatever happens, so that no tool call fails or waits. What a hook says on stdout would be read by the
 * agent, so nothing is said. Beyond the cap lines are dropped; the agent's screen still tells its state.
 */

/** Appends the JSON that the agent writes to the hook's stdin, in one line. */
export function appendInput(signalsFile: string): string {
  return guarded(signalsFile, `l=$(tr -d '\\n\\r'); [ -z "$l" ] || printf '%s\\n' "$l" >>"$f"`);
}

/** Appends a line that names the event and nothing else: what tools read and wrote is nobody's business. */
export function appendName(signalsFile: string, event: string): string {
  return guarded(signalsFile, `printf '%s\\n' ${shellWord(JSON.stringify({ hook_event_name: event }))} >>"$f"`);
}

/** Appends the JSON given as the command's first argument; for programs that call a list of words. */
export function appendArgument(signalsFile: string): string[] {
  return ['sh', '-c', guarded(signalsFile, `printf '%s\\n' "$1" | tr -d '\\r' >>"$f"`), 'agent-console'];
}

function guarded(signalsFile: string, append: string): string {
  const small = `[ "$( (wc -c <"$f") 2>/dev/null || echo 0)" -lt ${SIGNALS_MAX_BYTES} ]`;
  return `f=${shellWord(signalsFile)}; umask 077; { ${small} && { ${append}; }; } >/dev/null 2>&1; exit 0`;
}
