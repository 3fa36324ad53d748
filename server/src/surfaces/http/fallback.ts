import { randomUUID } from 'node:crypto';
import { ConsoleError } from '@agent-console/shared/errors';
import type { Hono } from 'hono';
import type { HttpEnv } from './context.ts';
import { errorResponse } from './respond.ts';

/**
 * Answers requests for which there is no route, and errors thrown by routes. `onBug` receives errors that are not a
 * ConsoleError.
 */
export function mountFallback(app: Hono<HttpEnv>, onBug: (error: unknown, requestId: string) => void): void {
  app.notFound((c) =>
    errorResponse(
      new ConsoleError(
        'NOT_FOUND',
        `${c.req.path} does not exist. The dashboard is at /, the API description at /api/openapi.json.`,
      ),
      c.get('requestId'),
    ),
  );
  app.onError((error, c) => {
    const requestId = c.get('requestId') ?? randomUUID();
    if (!(error instanceof ConsoleError)) onBug(error, requestId);
    return errorResponse(error, requestId);
  });
}
