import type { Hono } from 'hono';
import { etag } from 'hono/etag';
import type { HttpEnv } from '../http/context.ts';
import { fileOf, filesOf } from '../http/static.ts';

/**
 * Mounts `GET /api/docs`, the OpenAPI document as a page. `folder` contains all its files, so the page works offline.
 */
export function mountDocs(app: Hono<HttpEnv>, folder: string): void {
  const page = fileOf(folder, 'index.html');
  const file = filesOf(folder, (path) => path.replace('/api/docs', ''));
  app.get('/api/docs', etag(), async (c, next) => (await page(c)) ?? next());
  app.get('/api/docs/', (c) => c.redirect('/api/docs', 308));
  app.get('/api/docs/:file', etag(), async (c, next) => (await file(c)) ?? next());
}
