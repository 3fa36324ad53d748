import type { AgentKind } from '../../ports/agents.ts';

/** Says how to install an agent's executable, as a sentence without its full stop. */
export function installAdvice(
  { command }: { command: readonly string[] },
  { program, npmPackage }: Pick<AgentKind, 'program' | 'npmPackage'>,
): string {
  // The command of a definition may name another program than the kind's own.
  return npmPackage === null || command[0] !== program
    ? 'Install it'
    : `Install it, for example with \`npm install -g ${npmPackage}\``;
}
