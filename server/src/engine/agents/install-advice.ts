import type { AgentKind } from '../../ports/agents.ts';

/** Returns a sentence, without full stop, that says how to install an agent's executable. */
export function installAdvice(
  { command }: { command: readonly string[] },
  { program, npmPackage }: Pick<AgentKind, 'program' | 'npmPackage'>,
): string {
  // A definition may name another program than its kind does. The kind's package does not contain that program.
  return npmPackage === null || command[0] !== program
    ? 'Install it'
    : `Install it, for example with \`npm install -g ${npmPackage}\``;
}
