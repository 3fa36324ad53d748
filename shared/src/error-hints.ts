import type { ErrorCode } from './errors.ts';

/**
 * Explanation and advice for each error code, for the error reference. They apply to all cases of a code, unlike the
 * message of an error. They are in their own file, so that clients do not load them.
 */
export const ERROR_HINTS: Readonly<Record<ErrorCode, { means: string; hint: string }>> = {
  VALIDATION: {
    means: 'An input field is missing, unknown or invalid; nothing was done.',
    hint: 'The message names the field and the expected value. Correct the field and call again.',
  },
  UNAUTHENTICATED: {
    means: 'The console does not know who is calling, or the token is not valid.',
    hint: 'Send `Authorization: Bearer <token>` with a token created by `agent-console tokens create <name>`, or call from a process of a session; such a call needs no token.',
  },
  PERMISSION_DENIED: {
    means: 'The console knows who is calling, but this caller is not allowed to do this.',
    hint: 'Agents may only access their own session and its descendants. Ask the user or, with `send_message_to_session`, your parent session to make the call. If you use a token, create one with the scope named in the message.',
  },
  NOT_FOUND: {
    means: 'No item has this id or path, or the item is private to another user.',
    hint: 'List the items of this kind, such as `GET /api/sessions`, to find the right id. Lists do not include removed items.',
  },
  CONFLICT: {
    means:
      'The current state does not allow the call: something is in use, already exists, has changed meanwhile or has ended.',
    hint: 'Fetch the item named in `details`, then follow the message. If the `Idempotency-Key` was already used with other fields, use a new key.',
  },
  AMBIGUOUS_ID: {
    means: 'More than one id starts with this prefix.',
    hint: 'Choose an id from `details.candidates`, which lists titles and ages, or pass more characters of the id.',
  },
  TOO_LARGE: {
    means: 'The request, or a text in it, exceeds the limit named in the message.',
    hint: 'Shorten the text, or write it to a file in the worktree and pass the path of the file.',
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
    means: 'A limit is reached, such as the maximum of live sessions; the message names the limit.',
    hint: 'Wait until an item that counts towards the limit has ended, or end or remove such an item yourself. If the limit is a setting, the local owner can raise it.',
  },
  INTERNAL: {
    means: 'A bug in the console.',
    hint: 'Before you call again, check whether the change was made. To report the bug, include `details.requestId` and the entry with this id in `server.log`.',
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
    hint: 'Before you call again, fetch the session, task or job to see whether the work continues. A repeated call with the same `Idempotency-Key` is safe.',
  },
};
