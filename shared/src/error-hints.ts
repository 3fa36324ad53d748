import type { ErrorCode } from './errors.ts';

/**
 * What each code means and what to do about it, for people and agents who look it up. The message of an error says it for
 * the one case at hand; these words hold for every case. They stand apart from the codes, so that clients need not carry them.
 */
export const ERROR_HINTS: Readonly<Record<ErrorCode, { means: string; hint: string }>> = {
  VALIDATION: {
    means: 'A field is missing, unknown or not what it must be; nothing was done.',
    hint: 'The message begins with the name of the field and says what it takes. Correct it and call again.',
  },
  UNAUTHENTICATED: {
    means: 'The console does not know who is calling, or the token is not valid.',
    hint: 'Send `Authorization: Bearer <token>` with a token of `agent-console tokens create <name>`, or call from a session of the console.',
  },
  PERMISSION_DENIED: {
    means: 'The console knows who is calling, and they may not do this.',
    hint: 'An agent reaches its own session and those that came from it: ask the person, or tell your parent with `send_message_to_session`. A token needs the scope that the message names.',
  },
  NOT_FOUND: {
    means: 'Nothing has this id or path, or it is private to somebody else.',
    hint: 'Look the id up with the list of its kind; what was removed is in no list.',
  },
  CONFLICT: {
    means:
      'It cannot be done as things stand now: something is in use, exists already, was changed meanwhile or is over.',
    hint: 'Read the entity that the details name, then do what the message says. For an `Idempotency-Key` that was used with other fields, take a new key.',
  },
  AMBIGUOUS_ID: {
    means: 'More than one thing has an id that begins so.',
    hint: 'Take the id from `details.candidates`, which have titles and ages, or give more of its characters.',
  },
  TOO_LARGE: {
    means: 'The request or a text in it is longer than the bound that the message names.',
    hint: 'Shorten it, or write the text to a file of the worktree and name the file.',
  },
  UNSUPPORTED: {
    means: 'This agent, worker or repository cannot do that at all.',
    hint: 'Take the way that the message or `details.hint` names, such as a subsession in place of a fork.',
  },
  AGENT_UNAVAILABLE: {
    means: 'The program of the agent is not installed, not logged in or cannot be started.',
    hint: 'Name one of `details.installed` as `agentId`; `agent-console agents check <id>` says what is missing.',
  },
  GIT_FAILED: {
    means:
      'A git command failed; the message says what with, and `details.stderr` holds the words of git where it said any.',
    hint: 'Put right in the repository what git says, then call again.',
  },
  LIMIT_EXCEEDED: {
    means: 'A bound on how much may go on at once is reached; the message names it.',
    hint: 'Wait until some of it has ended, end some of it, or ask the owner to raise the setting that the message names.',
  },
  INTERNAL: {
    means: 'A mistake in the console.',
    hint: 'Look whether the work was done before calling again. `details.requestId` finds it in `server.log`; report both.',
  },
  BUSY: {
    means: 'The console cannot take the call right now: something restarts, is locked or has too much waiting.',
    hint: 'Call again in a second.',
  },
  RUNNER_UNAVAILABLE: {
    means: 'The process that keeps the agents alive does not answer, or has ended.',
    hint: 'With `retryable: true`, call again in a few seconds. Otherwise it has ended: a person runs `agent-console serve`, then the call works. `agent-console doctor` says more.',
  },
  TIMEOUT: {
    means: 'The answer took longer than a call may; the work may go on.',
    hint: 'Look at the session, task or job before calling again, or repeat the call with the same `Idempotency-Key`.',
  },
};
