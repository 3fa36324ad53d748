import { ConsoleError } from '@agent-console/shared/errors';
import { PromptText } from '@agent-console/shared/text';
import { validate } from '@agent-console/shared/validate';
import type { GetPromptResult, Prompt as PromptDefinition } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import type { Caller } from '../../domain/caller.ts';
import { nearest } from '../nearest.ts';
import { noToolsReason, toolNamed } from './tools.ts';

interface Argument {
  name: string;
  description: string;
  required: boolean;
  /** The resource whose ids complete this argument. */
  idsOf?: string;
}

interface KnownPrompt {
  name: string;
  title: string;
  description: string;
  arguments: readonly Argument[];
  /** Tools that the prompt text asks the agent to call, best first. The prompt is offered if one of them exists. */
  tools: readonly string[];
  text: (given: Readonly<Record<string, string>>, to: { tool: string; session: string }) => string;
}

/** Quotes a text so that nothing in it can end the quotation. */
function quoted(words: string): string {
  return words
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

/**
 * Prompts for users and agents, offered by their clients. Rendering a prompt changes nothing, because clients render
 * prompts to build menus.
 */
export const PROMPTS: readonly KnownPrompt[] = [
  {
    name: 'spawn-subsession',
    title: 'Hand this to a subsession',
    description: 'Have the agent write a full prompt from a few words, and give it to a new session of its own.',
    arguments: [{ name: 'prompt', description: 'What the subsession should do, in a few words', required: true }],
    tools: ['agor_sessions_spawn', 'delegate_to_worktree'],
    text: ({ prompt = '' }, { tool, session }) => `This is to be done in a subsession, not by you:

${quoted(prompt)}

You are ${session}; the subsession will be your child. Do these three things now.

1. Write the prompt for the subsession. Its agent knows nothing of this conversation, so make it richer than the words above: the goal, the files and names involved, what was decided here already, what must not change, and how to see that it is done. Add nothing that was not asked for.
2. Call the tool ${tool} once, with your text as "prompt".
3. Tell the user the sessionId that the answer holds, and in one sentence what the subsession was asked. Then go on with your own work: you are told when it ends.

Example. From "tests for the parser" you would write: "Add unit tests for src/parser.ts in this repository, in the style of the tests beside it: empty input, nested lists, unclosed quotes, and the two error messages. Change no other file. Done when the whole test suite passes." and call ${tool} with {"prompt": "Add unit tests for src/parser.ts …"}. It answers {"sessionId": "0193a1b2-…", …}, and you say: "Session 0193a1b2 writes the parser's tests."`,
  },
  {
    name: 'create-board',
    title: 'Set up a board',
    description: 'Have the agent lay out a board for a piece of work, with zones that fit its stages.',
    arguments: [
      { name: 'name', description: 'Name of the board', required: true },
      { name: 'purpose', description: 'What the work on it is about', required: false },
    ],
    tools: ['agor_boards_create'],
    text: ({ name = '', purpose }, { tool }) => `Set up a board with this name:

${quoted(name)}
${purpose === undefined ? '' : `\nIt is for this work:\n\n${quoted(purpose)}\n`}
Think of three to five zones that the work passes through, in order, with names of one or two words. Call ${tool} once with the name, a description of one sentence, and those zones as "zones". Then tell the user the board's id and its zones.`,
  },
  {
    name: 'duplicate-worktree',
    title: 'Work on a copy of a worktree',
    description: 'Have the agent start work in a new worktree that begins where another one stands.',
    arguments: [
      { name: 'worktreeId', description: 'The worktree to begin from', required: true, idsOf: 'worktree-files' },
      { name: 'prompt', description: 'What to do in the copy', required: true },
    ],
    tools: ['delegate_to_worktree'],
    text: ({ worktreeId = '', prompt = '' }, { tool }) => `A new worktree is to begin where this one stands now:

${quoted(worktreeId)}

In it, this is to be done:

${quoted(prompt)}

1. Find the branch of that worktree: the resource agor://worktree/<its id>/files lists what is in it, and \`git branch --show-current\` in its folder names the branch. Only what is committed there is copied; if something is not, say so to the user first.
2. Call the tool ${tool} once, with that branch as "baseBranch" and a full prompt for the work: its agent knows nothing of this conversation.
3. Tell the user the branch, the path and the session that the answer names.`,
  },
];

function toolOf(prompt: KnownPrompt): string | undefined {
  return prompt.tools.find((name) => toolNamed(name) !== undefined);
}

const OFFERED = PROMPTS.filter((prompt) => toolOf(prompt) !== undefined);

/** Returns the prompts for a caller: those with an existing tool, if the caller gets any tools. */
export function promptsFor(caller: Caller): PromptDefinition[] {
  if (noToolsReason(caller) !== undefined) return [];
  return OFFERED.map((prompt) => ({
    name: prompt.name,
    title: prompt.title,
    description: prompt.description,
    arguments: prompt.arguments.map(({ name, description, required }) => ({ name, description, required })),
  }));
}

/** Returns the resource whose ids complete an argument, if the argument is an id. */
export function idsForArgument(promptName: string, argument: string): string | undefined {
  return OFFERED.find(({ name }) => name === promptName)?.arguments.find(({ name }) => name === argument)?.idsOf;
}

/**
 * Returns the text of a prompt.
 * @throws VALIDATION for an unknown name, a missing argument, or a text that an agent may not receive.
 */
export function makePrompt(name: string, given: Readonly<Record<string, string>>, caller: Caller): GetPromptResult {
  const prompt = OFFERED.find((each) => each.name === name);
  const tool = prompt === undefined ? undefined : toolOf(prompt);
  if (prompt === undefined || tool === undefined) {
    const near = nearest(
      name,
      OFFERED.map((each) => each.name),
    );
    throw new ConsoleError('VALIDATION', `No prompt is named "${name}". Nearest: ${near.join(', ')}`, {
      nearest: near,
    });
  }
  return render(prompt, given, caller, tool);
}

/** Renders a prompt with its arguments. */
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
  const session = caller.kind === 'worker' ? `session ${caller.sessionId}` : 'in no session of this console';
  const text = prompt.text(filled, { tool, session });
  return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}
