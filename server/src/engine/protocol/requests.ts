import { ConsoleError } from '@agent-console/shared/errors';
import * as v from 'valibot';
import type { ProtocolState } from '../../domain/protocol.ts';
import type { Host } from '../../ports/host.ts';
import type { AgentProtocol } from '../../ports/protocol.ts';
import type { SessionRow } from '../../ports/rows.ts';

const Read = v.object({
  path: v.string(),
  line: v.optional(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0))), null),
  limit: v.optional(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0))), null),
});
/** A request to open a page at which the person is done, and one that cannot be shown to a person. */
const Done = v.object({ done: v.literal(true) });
const Invalid = v.object({ invalid: v.string() });
const Write = v.object({ path: v.string(), content: v.string() });

/** Whether handling a request changes files, so that it must not be repeated once the agent has its answer. */
export const changesFiles = ({ method }: { method: string }): boolean => method === 'fs/write_text_file';

/**
 * Handles a request of the agent that no person answers, and returns the response line. Only files in the session's cwd
 * are accessible, but not its git directory.
 */
export async function answerRequest(
  { host, protocol: { frames } }: { host: Pick<Host, 'readText' | 'writeText'>; protocol: AgentProtocol },
  session: SessionRow,
  { requestId, method, params }: ProtocolState['requests'][number],
): Promise<string> {
  try {
    if (method === 'fs/read_text_file') {
      const { path, line, limit } = v.parse(Read, params);
      const text = await host.readText(session, path);
      return frames.result(requestId, { content: linesOf(text, line, limit) });
    }
    if (method === 'fs/write_text_file') {
      const { path, content } = v.parse(Write, params);
      await host.writeText(session, path, content);
      return frames.result(requestId, {});
    }
    if (method === 'elicitation/create') {
      if (v.is(Done, params)) return frames.elicitation(requestId, 'accept', null);
      const why = v.is(Invalid, params) ? params.invalid : 'it does not conform to the protocol';
      return frames.failure(requestId, 'invalid', `The request cannot be shown to a person: ${why}.`);
    }
    if (method === 'session/request_permission') {
      return frames.failure(requestId, 'invalid', 'The permission request does not conform to the protocol.');
    }
    return frames.failure(requestId, 'unsupported', `The console does not support ${method}.`);
  } catch (error) {
    if (v.isValiError(error)) return frames.failure(requestId, 'invalid', error.message);
    // Every request is answered, because the agent waits for the answer.
    if (!(error instanceof ConsoleError)) return frames.failure(requestId, 'internal', String(error));
    const reason = error.code === 'NOT_FOUND' ? 'notFound' : 'invalid';
    return frames.failure(requestId, reason, error.message);
  }
}

/** Returns up to `limit` lines of a text, starting at line `first` (1 is the first line). */
function linesOf(text: string, first: number | null, limit: number | null): string {
  if (first === null && limit === null) return text;
  const from = Math.max((first ?? 1) - 1, 0);
  return text
    .split('\n')
    .slice(from, limit === null ? undefined : from + limit)
    .join('\n');
}
