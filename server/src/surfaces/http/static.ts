import { existsSync } from 'node:fs';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Context, Hono } from 'hono';
import { etag } from 'hono/etag';
import type { HttpContext, HttpEnv } from './context.ts';

/**
 * First path segments of the server's endpoints and of its files. A path with another first segment is a page of the
 * dashboard.
 */
const NOT_PAGES = ['api', 'ws', 'mcp', 'sse', 'health', 'assets'];
/** Matches names into which the bundler puts a hash of the content. The content of such a file never changes. */
const HASHED_NAME = /-[A-Za-z0-9_-]{8,}\.[a-z0-9]+$/;
/**
 * Matches names of compressed variants, which the build creates beside a file. They cannot be requested by these names.
 */
const VARIANT = /\.(br|gz)$/;

/** Serves a file in a folder. Resolves to undefined if the file does not exist. */
export type FileServer = (c: HttpContext) => Promise<Response | undefined>;

/** Serves the files of a folder by request path, compressed if the build created variants. */
export function filesOf(folder: string, nameOf: (path: string) => string = (path) => path): FileServer {
  const serve = serveStatic({ root: folder, precompressed: true, onFound, rewriteRequestPath: nameOf });
  return async (c) => (VARIANT.test(c.req.path) ? undefined : served(serve, c));
}

/** Serves the file at `path` in `folder`, whatever path the request names. */
export function fileOf(folder: string, path: string): FileServer {
  const serve = serveStatic({ root: folder, path, precompressed: true, onFound });
  return (c) => served(serve, c);
}

async function served(serve: ReturnType<typeof serveStatic>, c: HttpContext): Promise<Response | undefined> {
  const answer = await serve(c as Context, async () => {});
  return answer ?? undefined;
}

function onFound(path: string, c: Context): void {
  const isHashed = HASHED_NAME.test(path.replace(VARIANT, ''));
  c.header('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
  // The content depends on Accept-Encoding, so caches need `Vary` on the uncompressed response too. A compressed
  // response already has this header.
  if (existsSync(`${path}.br`)) c.header('Vary', 'Accept-Encoding');
}

/**
 * Serves the dashboard from `folder`. Its pages exist only in the browser, so a request for a page (`Accept` contains
 * text/html) at a path without a file gets index.html. A request for any other missing file gets NOT_FOUND from the
 * next handler. Must be mounted after every other route.
 */
export function mountStatic(app: Hono<HttpEnv>, folder: string): void {
  const [file, page] = [filesOf(folder), fileOf(folder, 'index.html')];
  app.get('/*', etag(), async (c, next) => {
    const { path } = c.req;
    const found = path === '/' || path === '/index.html' ? undefined : await file(c);
    if (found !== undefined) return found;
    if (path !== '/' && !wantsPage(c)) return next();
    return (await page(c)) ?? next();
  });
}

function wantsPage(c: HttpContext): boolean {
  const [, first = ''] = c.req.path.split('/', 2);
  const accepts = (c.req.header('accept') ?? '').toLowerCase().split(',');
  return !NOT_PAGES.includes(first) && accepts.some((type) => type.split(';', 1)[0]?.trim() === 'text/html');
}
