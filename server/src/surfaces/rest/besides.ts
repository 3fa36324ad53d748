import type { JsonSchema } from '../json-schema.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const HEALTH: JsonSchema = {
  type: 'object',
  properties: {
    status: {
      enum: ['ok', 'degraded'],
      description: 'degraded: the runner is gone or does not answer, so no process can be started or reached',
    },
    version: { type: 'string', description: 'Version of the console' },
    uptimeSeconds: { type: 'number', description: 'Only for callers who may ask system.status' },
    runner: {
      type: 'object',
      description:
        'Whether the runner is there and answers, and its process; only for callers who may ask system.status',
    },
    counts: { type: 'object', description: 'What the console holds; only for callers who may ask system.status' },
  },
  required: ['status', 'version'],
};

const cursor = (name: string, where: 'query' | 'header', description: string): JsonSchema => ({
  name,
  in: where,
  required: false,
  description,
  schema: { type: 'string', pattern: '^\\d{1,15}$' },
});

/** The paths that are no operations: data streams and the sign of life. `errors` are the responses of every operation. */
export function pathsBesides(errors: JsonSchema): Record<string, Record<string, unknown>> {
  return {
    '/api/events/stream': {
      get: {
        operationId: 'events.stream',
        summary: 'Events as they happen, as server-sent events',
        description: `Unnamed messages; their \`id\` is the event’s number and their data the event. A client that reconnects sends
the last \`id\` and misses nothing. Events that are no longer kept are told of by one message named \`gap\`. The page below
cannot show a stream: use \`curl -N\`.`,
        tags: ['events'],
        security: [{ bearer: [] }, {}],
        parameters: [
          cursor('after', 'query', 'The number of the last event you know; without it, only what happens from now on'),
          cursor('Last-Event-ID', 'header', 'The same, as browsers send it; goes before `after`'),
        ],
        responses: {
          200: {
            description: 'The stream; it ends only with the connection',
            content: { 'text/event-stream': { schema: { type: 'string' }, 'x-data-schema': ref('ConsoleEvent') } },
          },
          ...errors,
        },
      },
    },
    '/health': {
      get: {
        operationId: 'health',
        summary: 'That the server lives; to those it knows, also how it is',
        tags: ['system'],
        security: [{}],
        responses: {
          200: { description: 'It lives', content: { 'application/json': { schema: HEALTH } } },
          ...errors,
        },
      },
    },
  };
}
