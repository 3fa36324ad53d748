import type { Hono } from 'hono';
import { etag, RETAINED_304_HEADERS } from 'hono/etag';
import type { HttpEnv } from '../http/context.ts';
import { CONTENT_POLICY } from '../http/guard.ts';
import { fileOf, filesOf } from '../http/static.ts';

/**
 * Policy for Swagger UI, whose style sheet draws its arrows and marks from `data:` images, which cannot run or load
 * anything.
 */
const DOCS_POLICY = CONTENT_POLICY.replace("img-src 'self'", "img-src 'self' data:");

/**
 * Mounts `GET /api/docs`, the OpenAPI document as a page. `folder` contains all its files, so the page works offline.
 */
export function mountDocs(app: Hono<HttpEnv>, folder: string): void {
  const page = fileOf(folder, 'index.html');
  const file = filesOf(folder, (path) => path.replace('/api/docs', ''));
  // A 304 response replaces the headers of the stored page, so it must contain the policy again.
  const retainedHeaders = [...RETAINED_304_HEADERS, 'content-security-policy'];
  app.get('/api/docs', etag({ retainedHeaders }), async (c, next) => {
    const answer = await page(c);
    if (answer === undefined) return next();
    answer.headers.set('Content-Security-Policy', DOCS_POLICY);
    return answer;
  });
  app.get('/api/docs/', (c) => c.redirect('/api/docs', 308));
  app.get('/api/docs/:file', etag(), async (c, next) => (await file(c)) ?? next());
}
