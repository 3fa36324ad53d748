import type { ErrorCode } from './errors.ts';

/**
 * The meaning of each error code and what to do about it, for people and agents who look it up. An error's message
 * covers the specific case; these texts cover all cases. They have a file of their own, so that clients do not load
 * them.
 */
export const ERROR_HINTS: Readonly<Record<ErrorCode, { means: string; hint: string }>> = {
  VALIDATION: {
    means: 'A field is missing, unknown or invalid; nothing was done.',
    hint: 'The message names the field and the expected value. Correct it and call again.',
  },
  UNAUTHENTICATED: {
    means: 'The console does not know who is calling, or the token is not valid.',
    hint: 'Send `Authorization: Bearer <token>` with a token of `agent-console tokens create <name>`, or call from a session of the console.',
  },
  PERMISSION_DENIED: {
    means: 'The console knows the caller, but the caller is not allowed to do this.',
    hint: 'Agents may only access their own session and its descendants. Ask the user, or message your parent session with `send_message_to_session`. A token needs the scope named in the message.',
  },
  NOT_FOUND: {
    means: 'Nothing has this id or path, or it is private to another user.',
    hint: 'Look up the id in the matching list. Lists do not include removed items.',
  },
  CONFLICT: {
    means:
      'The current state does not allow the call: something is in use, already exists, has changed meanwhile or has ended.',
    hint: 'Fetch the resource named in `details`, then follow the message. If the `Idempotency-Key` was already used with other fields, use a new key.',
  },
  AMBIGUOUS_ID: {
    means: 'More than one id starts with this prefix.',
    hint: 'Choose an id from `details.candidates`, which lists titles and ages, or pass more characters.',
  },
  TOO_LARGE: {
    means: 'The request, or a text in it, exceeds the limit named in the message.',
    hint: 'Shorten it, or write the text to a file in the worktree and pass the path.',
  },
  UNSUPPORTED: {
    means: 'This agent, worker or repository does not support the operation.',
    hint: 'Use the alternative named in the message or `details.hint`, such as a subsession instead of a fork.',
  },
  AGENT_UNAVAILABLE: {
    means: 'The agent is not installed, not logged in or cannot be started.',
    hint: 'Use one of `details.installed` as `agentId`; `agent-console agents check <id>` shows what is missing.',
  },
  GIT_FAILED: {
    means: 'A git command failed. The message names the command; `details.stderr` has the error output of git, if any.',
    hint: 'Fix the problem that git reports, then retry.',
  },
  LIMIT_EXCEEDED: {
    means: 'A limit on concurrent work is reached; the message names it.',
    hint: 'Wait until some work has ended, stop some work, or ask the owner to raise the setting named in the message.',
  },
  INTERNAL: {
    means: 'A bug in the console.',
    hint: 'Before you call again, check whether the change was made. Search `server.log` for `details.requestId`, and report the id and the log entry.',
  },
  BUSY: {
    means: 'The console cannot accept the call right now: something is restarting, locked or overloaded.',
    hint: 'Call again in a second.',
  },
  RUNNER_UNAVAILABLE: {
    means: 'The runner, the process that runs the agents, does not answer or has ended.',
    hint: 'With `retryable: true`, call again in a few seconds. Otherwise the runner has ended: a person must run `agent-console serve`, then call again. `agent-console doctor` has details.',
  },
  TIMEOUT: {
    means: 'The call took longer than allowed. Its work may continue.',
    hint: 'Before you call again, fetch the session, task or job; or repeat the call with the same `Idempotency-Key`.',
  },
};
