import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { acceptedCodings, CODINGS, namesTag, tagOfBytes } from './encoding.ts';

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
}

/** What a request says of the form in which it wants a file. */
export interface Wanted {
  /** `Accept-Encoding` */
  encoding: string | undefined;
  /** `If-None-Match` */
  match: string | undefined;
}

export interface Assets {
  /** The answer with the file of this name (`assets/main.js`), or undefined where there is none. */
  answer(name: string, wanted: Wanted): Promise<Response | undefined>;
}

/**
 * The files of a folder as answers. `name.br` and `name.gz` beside `name` are that file compressed: they are sent in its
 * place to whoever accepts them, each with an ETag of its own, and are nothing by themselves. The folder is listed, never
 * resolved from a request, so no path can leave it; files are read at their first use and kept.
 */
export function openAssets(folder: string): Assets {
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
    // The bytes of each coding are other ones, and so is their hash.
    return { body: new Uint8Array(body), etag: tagOfBytes(body) };
  };
  const load = (name: string): Promise<Asset | undefined> => {
    const asset = kept.get(name) ?? read(name);
    kept.set(name, asset);
    return asset;
  };

  return {
    async answer(name, { encoding, match }) {
      listing ??= list();
      const names = await listing;
      if (!names.has(name) || isVariant(name, names)) return undefined;
      const made = CODINGS.filter(({ ending }) => names.has(name + ending));
      const coding = acceptedCodings(encoding).find((one) => made.includes(one));
      const asset = await load(name + (coding?.ending ?? ''));
      if (asset === undefined) return undefined;
      const headers = {
        'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream',
        'Cache-Control': HASHED.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
        ETag: asset.etag,
        ...(made.length === 0 ? {} : { Vary: 'Accept-Encoding' }),
      };
      if (namesTag(match, asset.etag)) return new Response(null, { status: 304, headers });
      const coded = coding === undefined ? {} : { 'Content-Encoding': coding.name };
      const length = { 'Content-Length': String(asset.body.byteLength) };
      return new Response(asset.body, { headers: { ...headers, ...coded, ...length } });
    },
  };
}

function isVariant(name: string, names: ReadonlySet<string>): boolean {
  return CODINGS.some(({ ending }) => name.endsWith(ending) && names.has(name.slice(0, -ending.length)));
}
