import { ConsoleError } from '@agent-console/shared/errors';
import { PromptText } from '@agent-console/shared/text';
import { validate } from '@agent-console/shared/validate';
import type { GetPromptResult, Prompt as PromptDefinition } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { templates } from '../../definitions/templates.ts';
import type { Caller } from '../../domain/caller.ts';
import { nearest } from '../../domain/nearest.ts';
import type { Definition } from '../../ports/definitions.ts';
import { noToolsReason, toolNamed } from './tools.ts';

interface Argument {
  name: string;
  description: string;
  required: boolean;
  /** Name of the resource whose ids are suggested as values of this argument. */
  idsOf?: string;
}

interface KnownPrompt {
  name: string;
  title: string;
  description: string;
  arguments: readonly Argument[];
  /**
   * Tools that the prompt text may ask the agent to call, best first. The text names the first tool that the console
   * has. If it has none of them, the prompt is not offered.
   */
  tools: readonly string[];
  text: (given: Readonly<Record<string, string>>, to: { tool: string; sessionId: string | null }) => string;
}

/** Quotes a text so that nothing in it can end the quotation. */
function quoted(words: string): string {
  return words
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

/** Returns the prompt that runs a template of an orchestration. */
function promptOf({ name: template, description, parameters }: Definition): KnownPrompt {
  const required = parameters.filter((parameter) => parameter.required);
  const optional = parameters.filter((parameter) => !parameter.required);
  return {
    name: `orchestrate-${template}`,
    title: `Orchestrate: ${template}`,
    description,
    arguments: [...required, ...optional].map((parameter) => ({
      name: parameter.name,
      description: parameter.type === 'list' ? `${parameter.description} (one per line)` : parameter.description,
      required: parameter.required,
    })),
    tools: ['orchestrations_run'],
    text: (given, { tool, sessionId }) => {
      const values = Object.entries(given).map(([name, value]) => `Parameter "${name}":\n\n${quoted(value)}\n`);
      return `Have several agents do this, do not do it yourself. The orchestration "${template}": ${description}

${values.join('\n')}
${
  sessionId === null
    ? 'You are not in a session of this console, so pass the id of the repository as "repositoryId".'
    : `You are session ${sessionId}; the agents will work for you.`
} Do these three things now.

1. Complete the values that say what to do: the agents know nothing of this conversation. State the files and identifiers involved, the decisions already made here, what must not change, and how to verify the result. Add nothing that was not asked for.
2. Call the tool ${tool} once, with "definition": "${template}" and the values as "parameters", an object with these names. Leave out parameters that are not listed above.
3. Tell the user the id of the orchestration in the response and which agents it has. ${
        sessionId === null
          ? 'You are not in a session, so nothing notifies you when the orchestration ends. Look at its state when the user asks.'
          : 'Then continue your own work: you are notified once, when the orchestration ends.'
      }`;
    },
  };
}

/**
 * Prompts that MCP clients offer to users. Rendering a prompt must not change anything, because clients may render
 * prompts just to show them in a menu.
 */
export const PROMPTS: readonly KnownPrompt[] = [
  {
    name: 'spawn-subsession',
    title: 'Delegate work to a subsession',
    description: 'Have the agent write a full prompt from a short description and send it to a new subsession.',
    arguments: [{ name: 'prompt', description: 'Short description of what the subsession should do', required: true }],
    tools: ['agor_sessions_spawn', 'delegate_to_worktree'],
    text: ({ prompt = '' }, { tool, sessionId }) => `Have this done in a subsession, do not do it yourself:

${quoted(prompt)}

${
  sessionId === null
    ? tool === 'agor_sessions_spawn'
      ? 'You are not in a session of this console, so the subsession needs another parent: pass the id of the session that the user means as "sessionId", or ask the user which one.'
      : 'You are not in a session of this console, so pass the id of the repository as "repositoryId".'
    : `You are session ${sessionId}; the subsession will be your child.`
} Do these three things now.

1. Write the prompt for the subsession. Its agent knows nothing of this conversation, so make the prompt more detailed than the words above: the goal, the files and identifiers involved, the decisions already made here, what must not change, and how to verify the result. Add nothing that was not asked for.
2. Call the tool ${tool} once, with your text as "prompt".
3. Tell the user the sessionId in the response, and in one sentence what you asked the subsession to do. ${
      sessionId === null
        ? 'Then wait for the end of the subsession with the tool wait_for_session.'
        : 'Then continue your own work: you are notified when the subsession ends.'
    }

Example. From "tests for the parser" you would write: "Add unit tests for src/parser.ts in this repository, in the style of the tests beside it: empty input, nested lists, unclosed quotes, and the two error messages. Change no other file. Done when the whole test suite passes." and call ${tool} with {"prompt": "Add unit tests for src/parser.ts …"}. It answers {"sessionId": "0193a1b2-…", …}, and you say: "Session 0193a1b2 writes the parser's tests."`,
  },
  {
    name: 'create-board',
    title: 'Set up a board',
    description: 'Have the agent create a board for a piece of work, with a zone for each stage.',
    arguments: [
      { name: 'name', description: 'Name of the board', required: true },
      { name: 'purpose', description: 'What the board is for', required: false },
    ],
    tools: ['agor_boards_create'],
    text: ({ name = '', purpose }, { tool }) => `Create a board with this name:

${quoted(name)}
${purpose === undefined ? '' : `\nThe board is for this work:\n\n${quoted(purpose)}\n`}
Choose three to five zones for the stages of the work, in order, with names of one or two words. Call ${tool} once with the name, a description of one sentence, and those zones as "zones". Then tell the user the board's id and its zones.`,
  },
  {
    name: 'duplicate-worktree',
    title: 'Work on a copy of a worktree',
    description: 'Have the agent start work in a new worktree, based on the branch of an existing worktree.',
    arguments: [
      {
        name: 'worktreeId',
        description: 'Id of the worktree whose branch to start from',
        required: true,
        idsOf: 'worktree-files',
      },
      { name: 'prompt', description: 'What the agent should do in the new worktree', required: true },
    ],
    tools: ['delegate_to_worktree'],
    text: (
      { worktreeId = '', prompt = '' },
      { tool, sessionId },
    ) => `Create a new worktree from the branch of this worktree:

${quoted(worktreeId)}

Have this done in the new worktree:

${quoted(prompt)}

1. Find the branch of the existing worktree and whether it has uncommitted changes: the tool agor_worktrees_get returns both. Without that tool, run git in the folder of the worktree. Only committed changes are copied, so tell the user first if there are uncommitted changes.
2. Call the tool ${tool} once, with that branch as "baseBranch"${
      sessionId === null ? `, the id of the worktree's repository as "repositoryId",` : ''
    } and a full prompt for the work: the agent in the new worktree knows nothing of this conversation.
3. Tell the user the branch, the path and the session in the response.`,
  },
  ...templates().map(promptOf),
];

function toolOf(prompt: KnownPrompt): string | undefined {
  return prompt.tools.find((name) => toolNamed(name) !== undefined);
}

const OFFERED_PROMPTS = PROMPTS.filter((prompt) => toolOf(prompt) !== undefined);

/** Returns the prompts that are offered to a caller. A caller who gets no tools gets no prompts. */
export function promptsFor(caller: Caller): PromptDefinition[] {
  if (noToolsReason(caller) !== undefined) return [];
  return OFFERED_PROMPTS.map((prompt) => ({
    name: prompt.name,
    title: prompt.title,
    description: prompt.description,
    arguments: prompt.arguments.map(({ name, description, required }) => ({ name, description, required })),
  }));
}

/**
 * Returns the name of the resource whose ids are suggested for an argument of a prompt; undefined if the argument is
 * not an id.
 */
export function idsForArgument(promptName: string, argument: string): string | undefined {
  return OFFERED_PROMPTS.find(({ name }) => name === promptName)?.arguments.find(({ name }) => name === argument)
    ?.idsOf;
}

/** Returns the text of a prompt. @throws VALIDATION for an unknown name, or a missing or invalid argument. */
export function makePrompt(name: string, given: Readonly<Record<string, string>>, caller: Caller): GetPromptResult {
  const prompt = OFFERED_PROMPTS.find((each) => each.name === name);
  const tool = prompt === undefined ? undefined : toolOf(prompt);
  if (prompt === undefined || tool === undefined) {
    const near = nearest(
      name,
      OFFERED_PROMPTS.map((each) => each.name),
    );
    throw new ConsoleError('VALIDATION', `No prompt is named "${name}". Nearest: ${near.join(', ')}`, {
      nearest: near,
    });
  }
  return render(prompt, given, caller, tool);
}

export function render(
  prompt: KnownPrompt,
  given: Readonly<Record<string, string>>,
  caller: Caller,
  tool: string,
): GetPromptResult {
  const schema = v.strictObject(
    Object.fromEntries(
      prompt.arguments.map((argument) => [argument.name, argument.required ? PromptText : v.optional(PromptText)]),
    ),
  );
  const filled = validate(schema, given) as Record<string, string>;
  const sessionId = caller.kind === 'worker' ? caller.sessionId : null;
  const text = prompt.text(filled, { tool, sessionId });
  return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}
