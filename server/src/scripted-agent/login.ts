import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AgentContext,
  type AuthMethod,
  type CreateElicitationResponse,
  RequestError,
} from '@agentclientprotocol/sdk';

/** The code that a person enters for the login method `code`. */
const LOGIN_CODE = '123456';
/**
 * Name of a file in the folder of transcripts. While this file exists, the agent counts as logged in. This simulates a
 * log-in by another program.
 */
const MARKER = 'logged-in';

const METHODS: AuthMethod[] = [
  { id: 'once', name: 'Log in for this process' },
  { id: 'code', name: 'Log in with a code', description: 'The code is 123456.' },
  { id: 'expired', name: 'Log in with an expired code' },
  { id: 'terminal', name: 'Log in in a terminal', type: 'terminal', args: ['--login'], env: { LOGIN: 'a b' } },
];

/** Returns the values that a person entered into a form; null if the person did not accept the form. */
export function contentOf(answer: CreateElicitationResponse): Readonly<Record<string, unknown>> | null {
  return 'content' in answer ? ((answer.content as Record<string, unknown> | null | undefined) ?? null) : null;
}

/**
 * Simulates a log-in. The agent requires a log-in if the environment variable SCRIPTED_AGENT_LOGIN is set, and again
 * after each log-out (`end`).
 */
export function createLogin(host: { env: Readonly<Record<string, string | undefined>>; transcripts: string }) {
  const isOffered = host.env.SCRIPTED_AGENT_LOGIN !== undefined;
  let isLoggedIn = !isOffered;

  /** Asks a person for the log-in code, in a request that belongs to no session. */
  async function askForCode(client: AgentContext): Promise<boolean> {
    const answer = await client.request('elicitation/create', {
      requestId: 'login',
      mode: 'form',
      message: 'Enter the code.',
      requestedSchema: {
        type: 'object',
        properties: { code: { type: 'string', title: 'Code', minLength: 6, maxLength: 6 } },
        required: ['code'],
      },
    });
    return contentOf(answer)?.code === LOGIN_CODE;
  }

  return {
    methods: isOffered ? METHODS : [],
    /** @throws RequestError `authRequired` of the protocol if the agent is not logged in. */
    require(): void {
      if (!isLoggedIn && !existsSync(join(host.transcripts, MARKER))) throw RequestError.authRequired();
    },
    async perform(methodId: string, client: AgentContext): Promise<void> {
      if (methodId === 'expired') throw RequestError.internalError(undefined, 'the code has expired');
      if (methodId === 'code' && !(await askForCode(client))) throw RequestError.internalError(undefined, 'wrong code');
      isLoggedIn = true;
    },
    end(): void {
      isLoggedIn = false;
    },
  };
}
