import type { JsonSchema } from '../json-schema.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const HEALTH: JsonSchema = {
  type: 'object',
  properties: {
    status: {
      enum: ['ok', 'degraded'],
      description: 'degraded: the runner is gone or does not answer, so processes cannot be started or accessed',
    },
    version: { type: 'string', description: 'Version of the console' },
    uptimeSeconds: {
      type: 'number',
      description: 'Seconds since the start of the server; only for callers who may use system.status',
    },
    runner: {
      type: 'object',
      description: "The runner's state and process; only for callers who may use system.status",
    },
    counts: {
      type: 'object',
      description:
        'Numbers of repositories, sessions, running tasks and undelivered notices; only for callers who may use system.status',
    },
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

/**
 * Returns the paths of the REST API that do not belong to operations. `errors` are the error responses of every path.
 */
export function otherPaths(errors: JsonSchema): Record<string, Record<string, unknown>> {
  return {
    '/api/events/stream': {
      get: {
        operationId: 'events.stream',
        summary: 'Events as they happen, as server-sent events',
        description: `Each event is an unnamed message. Its \`id\` is the sequence number, and its data is the event. A client that reconnects
sends the last \`id\` and misses nothing. A message named \`gap\` means that some of the missed events are no longer stored, or that
the console has fewer events than the cursor says, as after a restored backup. This page cannot show a stream. Use \`curl -N\`.`,
        tags: ['events'],
        security: [{ bearer: [] }, {}],
        parameters: [
          cursor(
            'after',
            'query',
            'Sequence number of the last event that you received; without it, only new events are sent',
          ),
          cursor(
            'Last-Event-ID',
            'header',
            'Cursor that browsers send when they reconnect; takes precedence over `after`',
          ),
        ],
        responses: {
          200: {
            description: 'Stream of events; ends when the connection closes',
            content: { 'text/event-stream': { schema: { type: 'string' }, 'x-data-schema': ref('ConsoleEvent') } },
          },
          ...errors,
        },
      },
    },
    '/api/orchestrations/{orchestrationId}/events/stream': {
      get: {
        operationId: 'orchestrations.eventStream',
        summary: 'Events of an orchestration as they happen, as server-sent events',
        description: `Like [events.stream](#/events/events.stream), for one orchestration: it starts with the first event after the
cursor, and ends after the last event of an orchestration that has ended.`,
        tags: ['orchestrations'],
        security: [{ bearer: [] }, {}],
        parameters: [
          {
            name: 'orchestrationId',
            in: 'path',
            required: true,
            description: 'Id of the orchestration, or a unique prefix',
            schema: { type: 'string' },
          },
          cursor(
            'after',
            'query',
            'Id of the last event that you received; without it, the stream starts with the first event',
          ),
          cursor(
            'Last-Event-ID',
            'header',
            'Cursor that browsers send when they reconnect; takes precedence over `after`',
          ),
        ],
        responses: {
          200: {
            description: 'Stream of events; ends with the orchestration, or when the connection closes',
            content: {
              'text/event-stream': { schema: { type: 'string' }, 'x-data-schema': ref('OrchestrationEvent') },
            },
          },
          ...errors,
        },
      },
    },
    '/health': {
      get: {
        operationId: 'health',
        summary: 'Health of the server, with details for callers who may use system.status',
        tags: ['system'],
        security: [{}],
        responses: {
          200: { description: 'The server is running', content: { 'application/json': { schema: HEALTH } } },
          ...errors,
        },
      },
    },
  };
}
