import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import type { Hono } from 'hono';
import type { HttpEnv } from './context.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};
/** The bundler puts a hash of the content into these names, so they never change. */
const HASHED = /-[A-Za-z0-9_-]{8,}\.[a-z0-9]+$/;

interface Asset {
  body: Uint8Array<ArrayBuffer>;
  etag: string;
  type: string;
}

/**
 * Serves the page from `folder`: `/` and the routes of the page get index.html, `/assets/…` what the build made. The
 * folder is listed, never resolved from a request, so no path can leave it; files are read at their first use.
 */
export function mountStatic(app: Hono<HttpEnv>, folder: string, routes: readonly string[] = []): void {
  const kept = new Map<string, Promise<Asset | undefined>>();
  let listing: Promise<ReadonlySet<string>> | undefined;

  const list = async (): Promise<ReadonlySet<string>> => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    const files = entries.filter((entry) => entry.isFile());
    return new Set(files.map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')));
  };
  const read = async (name: string): Promise<Asset | undefined> => {
    const body = await readFile(join(folder, name)).catch(() => undefined);
    if (body === undefined) return undefined;
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    return { body: new Uint8Array(body), etag, type: TYPES[extname(name)] ?? 'application/octet-stream' };
  };
  const find = async (name: string): Promise<Asset | undefined> => {
    listing ??= list();
    if (!(await listing).has(name)) return undefined;
    const asset = kept.get(name) ?? read(name);
    kept.set(name, asset);
    return asset;
  };

  const serve = async (name: string, match: string | undefined): Promise<Response | undefined> => {
    const asset = await find(name);
    if (asset === undefined) return undefined;
    const headers = {
      'Content-Type': asset.type,
      'Cache-Control': HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
      ETag: asset.etag,
    };
    if (match?.split(/\s*,\s*/).includes(asset.etag)) return new Response(null, { status: 304, headers });
    return new Response(asset.body, { headers });
  };

  for (const route of ['/', ...routes]) {
    app.get(route, async (c, next) => {
      const page = await serve('index.html', c.req.header('if-none-match'));
      if (page !== undefined) return page;
      return next();
    });
  }
  app.get('/*', async (c, next) => {
    const file = await serve(c.req.path.slice(1), c.req.header('if-none-match'));
    if (file !== undefined && !c.req.path.endsWith('/index.html')) return file;
    return next();
  });
}
