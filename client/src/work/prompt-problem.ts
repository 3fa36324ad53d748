import { ConsoleError } from '@agent-console/shared/errors';

/** What someone whose prompt was not taken is told; what they wrote stays in the box. */
export function asPromptProblem(error: unknown): string {
  if (error instanceof ConsoleError) return error.message;
  return 'The prompt was not taken. Send it again.';
}
