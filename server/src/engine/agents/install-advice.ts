import type { AgentKind } from '../../ports/agents.ts';

/**
 * Returns the shell command that installs an agent's executable; null if the console knows no command for this
 * executable.
 */
export function installCommand(
  { command }: { command: readonly string[] },
  { program, npmPackage }: Pick<AgentKind, 'program' | 'npmPackage'>,
): string | null {
  // A definition may run another program than its kind. The npm package of the kind does not contain that program.
  return npmPackage === null || command[0] !== program ? null : `npm install -g ${npmPackage}`;
}

/** Returns a sentence, without full stop, that says how to install an agent's executable. */
export function installAdvice(
  definition: { command: readonly string[] },
  kind: Pick<AgentKind, 'program' | 'npmPackage'>,
): string {
  const command = installCommand(definition, kind);
  return command === null ? 'Install it' : `Install it, for example with \`${command}\``;
}
