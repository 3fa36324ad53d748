import * as v from 'valibot';
import { described } from '../describe.ts';
import { IdPrefix } from '../ids.ts';
import { AgentOptions } from '../models/agent-option.ts';
import { operation } from '../operation.ts';

const sessionId = IdPrefix('session');
const ids = { sessionId: 'session' } as const;

export const sessionOptions = [
  operation({
    name: 'sessions.options',
    summary: "Options and slash commands of a session's agent, and how much of its context window is used",
    access: 'workspace-read',
    ids,
    rest: { method: 'GET', path: '/sessions/:sessionId/options' },
    cli: { command: 'sessions options', positional: ['sessionId'] },
    input: v.strictObject({ sessionId }),
    output: AgentOptions,
  }),
  operation({
    name: 'sessions.setOption',
    summary:
      "Set an option of a session's agent, such as the model; a running agent applies the change at once if it can",
    access: 'subtree',
    ids,
    target: 'sessionId',
    rest: { method: 'PATCH', path: '/sessions/:sessionId/options/:optionId' },
    cli: { command: 'sessions set-option', positional: ['sessionId', 'optionId', 'value'] },
    example: { optionId: 'model', value: 'sonnet' },
    input: v.strictObject({
      sessionId,
      optionId: described(v.pipe(v.string(), v.maxLength(200)), 'Option id, as listed by sessions.options'),
      value: described(v.pipe(v.string(), v.maxLength(1_000)), 'Value id, as listed by sessions.options'),
    }),
    output: AgentOptions,
  }),
] as const;
