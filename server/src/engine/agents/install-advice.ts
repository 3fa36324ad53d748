import type { AgentKind } from '../../ports/agents.ts';

/** Returns the shell command that installs an agent's executable; null if it is not known. */
export function installCommand(
  { command }: { command: readonly string[] },
  { program, npmPackage }: Pick<AgentKind, 'program' | 'npmPackage'>,
): string | null {
  // The command of a definition may run a program that is not the one of its kind. The kind's package does not contain
  // that program.
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
