import type { Hono } from 'hono';
import { openAssets, type Wanted } from './assets.ts';
import type { HttpContext, HttpEnv } from './context.ts';

/** First parts of paths that belong to the server or to files; everything else is a place inside the dashboard. */
const NOT_PAGES = ['api', 'ws', 'mcp', 'sse', 'health', 'assets'];

/** What a request says of the form in which it wants a file. */
export function wantedBy(c: HttpContext): Wanted {
  return { encoding: c.req.header('accept-encoding'), match: c.req.header('if-none-match') };
}

/**
 * Serves the dashboard from `folder`. Its routes are known in the browser only, so whoever asks for a page (`Accept` names
 * text/html) at a path that is no file gets index.html; whoever asks for a file that does not exist gets NOT_FOUND from
 * what is mounted next. Mount it after every other route.
 */
export function mountStatic(app: Hono<HttpEnv>, folder: string): void {
  const assets = openAssets(folder);
  app.get('/*', async (c, next) => {
    const { path } = c.req;
    if (path !== '/' && path !== '/index.html') {
      const file = await assets.answer(path.slice(1), wantedBy(c));
      if (file !== undefined) return file;
    }
    if (path !== '/' && !wantsPage(c)) return next();
    return (await assets.answer('index.html', wantedBy(c))) ?? next();
  });
}

function wantsPage(c: HttpContext): boolean {
  const [, first = ''] = c.req.path.split('/', 2);
  const accepts = (c.req.header('accept') ?? '').toLowerCase().split(',');
  return !NOT_PAGES.includes(first) && accepts.some((type) => type.split(';', 1)[0]?.trim() === 'text/html');
}
