import type { Hono } from 'hono';
import { openAssets } from '../http/assets.ts';
import type { HttpEnv } from '../http/context.ts';
import { CONTENT_POLICY } from '../http/guard.ts';
import { wantedBy } from '../http/static.ts';

/** The style sheet of Swagger UI draws its arrows and marks from `data:` images, which run and load nothing. */
const DOCS_POLICY = CONTENT_POLICY.replace("img-src 'self'", "img-src 'self' data:");

/**
 * `GET /api/docs`: the OpenAPI document as a page to browse and try. `folder` contains the page and the parts of
 * Swagger UI that it uses, so it works offline.
 */
export function mountDocs(app: Hono<HttpEnv>, folder: string): void {
  const assets = openAssets(folder);
  app.get('/api/docs', async (c, next) => {
    const page = await assets.answer('index.html', wantedBy(c));
    if (page === undefined) return next();
    page.headers.set('Content-Security-Policy', DOCS_POLICY);
    return page;
  });
  app.get('/api/docs/', (c) => c.redirect('/api/docs', 308));
  app.get('/api/docs/:file', async (c, next) => (await assets.answer(c.req.param('file'), wantedBy(c))) ?? next());
}
