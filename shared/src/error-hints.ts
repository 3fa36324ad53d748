import type { ErrorCode } from './errors.ts';

/**
 * The meaning of each error code and what to do about it, for people and agents who look it up. An error's message
 * covers the specific case; these texts cover all cases. They have a file of their own, so that clients do not load
 * them.
 */
export const ERROR_HINTS: Readonly<Record<ErrorCode, { means: string; hint: string }>> = {
  VALIDATION: {
    means: 'A field is missing, unknown or invalid; nothing was done.',
    hint: 'The message names the field and what it expects. Correct it and call again.',
  },
  UNAUTHENTICATED: {
    means: 'The console does not know who is calling, or the token is not valid.',
    hint: 'Send `Authorization: Bearer <token>` with a token of `agent-console tokens create <name>`, or call from a session of the console.',
  },
  PERMISSION_DENIED: {
    means: 'The console knows who is calling, and they may not do this.',
    hint: 'An agent reaches its own session and those that came from it: ask the person, or message your parent with `send_message_to_session`. A token needs the scope that the message names.',
  },
  NOT_FOUND: {
    means: 'No entity has this id or path, or it is private to somebody else.',
    hint: 'Look up the id in the list of its kind; removed entities are in no list.',
  },
  CONFLICT: {
    means:
      'The current state does not allow it: something is in use, exists already, was changed meanwhile or has ended.',
    hint: 'Read the entity that the details name, then do what the message says. For an `Idempotency-Key` that was used with other fields, use a new key.',
  },
  AMBIGUOUS_ID: {
    means: 'More than one entity has an id with this prefix.',
    hint: 'Choose an id from `details.candidates`, which have titles and ages, or pass more characters.',
  },
  TOO_LARGE: {
    means: 'The request or a text in it exceeds the limit that the message names.',
    hint: 'Shorten it, or write the text to a file of the worktree and name the file.',
  },
  UNSUPPORTED: {
    means: 'This agent, worker or repository does not support the operation.',
    hint: 'Use the alternative that the message or `details.hint` names, such as a subsession instead of a fork.',
  },
  AGENT_UNAVAILABLE: {
    means: 'The program of the agent is not installed, not logged in or cannot be started.',
    hint: 'Use one of `details.installed` as `agentId`; `agent-console agents check <id>` shows what is missing.',
  },
  GIT_FAILED: {
    means: 'A git command failed; the message says which, and `details.stderr` has the output of git, if any.',
    hint: 'Fix the problem git reports, then retry.',
  },
  LIMIT_EXCEEDED: {
    means: 'A limit on concurrent work is reached; the message names it.',
    hint: 'Wait until some work has ended, end some, or ask the owner to raise the setting that the message names.',
  },
  INTERNAL: {
    means: 'A bug in the console.',
    hint: 'Check whether the work was done before calling again. `details.requestId` finds the error in `server.log`; report both.',
  },
  BUSY: {
    means: 'The console cannot accept the call right now: something is restarting, locked or overloaded.',
    hint: 'Call again in a second.',
  },
  RUNNER_UNAVAILABLE: {
    means: 'The runner, the process that holds the agents, does not answer or has ended.',
    hint: 'With `retryable: true`, call again in a few seconds. Otherwise it has ended: a person must run `agent-console serve`, then call again. `agent-console doctor` has details.',
  },
  TIMEOUT: {
    means: 'The call took longer than allowed; its work may continue.',
    hint: 'Read the session, task or job before calling again, or repeat the call with the same `Idempotency-Key`.',
  },
};
