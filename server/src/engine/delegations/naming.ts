import { ConsoleError } from '@agent-console/shared/errors';
import { BRANCH_NAMING_MS, BRANCH_NAMING_PROMPT_CHARS } from '@agent-console/shared/limits/agents';
import type { Agent } from '@agent-console/shared/models/agent';
import { branchFromAnswer } from '../../domain/branch-name.ts';
import type { OneShotEnd } from '../../ports/one-shots.ts';
import type { AskAgent } from '../agents/ask-agent.ts';
import type { SettingsReader } from '../settings.ts';

/** Asks agents to name the branch for a prompt. */
export interface BranchNaming {
  /**
   * Resolves to a branch name, or to null if there is none. The warning says why the agent gave no name; it is null if
   * the agent gave one or was not asked. Never rejects. Takes at most slightly longer than `limitMs`.
   */
  suggest(
    agent: Pick<Agent, 'name' | 'kind' | 'command' | 'env'>,
    prompt: string,
  ): Promise<{ name: string | null; warning: string | null }>;
}

export interface NamingDeps {
  ask: AskAgent;
  settings: SettingsReader;
  limitMs?: number;
}

/** Returns the question for the agent. The prompt is quoted, so that the agent does not follow it. */
function question(prompt: string): string {
  return [
    'Give a name for the git branch of the task below: two to six short English words that say what it is about, in',
    'lower case, joined by "-", at most 40 characters, for example fix-login-redirect. Answer with the name alone, on one',
    'line, without quotes. Do not do the task and use no tools.',
    '',
    '<task>',
    prompt.slice(0, BRANCH_NAMING_PROMPT_CHARS),
    '</task>',
  ].join('\n');
}

function whyNot({ ended, exitCode }: OneShotEnd, limitMs: number): string {
  if (ended === 'timeout') return `did not answer within ${limitMs / 1_000} s`;
  if (ended === 'flood') return 'printed too much output';
  return exitCode === 0 ? 'did not answer with a valid name' : `ended with exit code ${exitCode ?? 'unknown'}`;
}

export function createNaming({ ask, settings, limitMs = BRANCH_NAMING_MS }: NamingDeps): BranchNaming {
  return {
    async suggest(agent, prompt) {
      const failed = (why: string) => ({
        name: null,
        warning: `The branch name was derived from the prompt, because ${agent.name} ${why}.`,
      });
      try {
        const { branchNames } = await settings.current();
        if (branchNames === 'slug') return { name: null, warning: null };
        const end = await ask(agent, question(prompt), limitMs);
        if (end === null) return { name: null, warning: null };
        const name = end.exitCode === 0 && end.ended === null ? branchFromAnswer(end.stdout) : null;
        return name === null ? failed(whyNot(end, limitMs)) : { name, warning: null };
      } catch (error) {
        // A failure only adds a warning, because a delegation must not fail for lack of a branch name.
        return failed(
          error instanceof ConsoleError ? `could not suggest a name: ${error.message}` : 'could not be asked',
        );
      }
    },
  };
}
