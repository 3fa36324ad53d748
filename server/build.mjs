// Bundles each program of the server and the dashboard into dist/. Every file is written beside its place and renamed
// over it, so that a runner which restarts the server in the middle of a build starts the old or the new one, never half.
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { build } from 'esbuild';
import { build as buildPage } from 'vite';

// Whoever builds, tests among them, gets what people run: React looks at this.
process.env.NODE_ENV = 'production';

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, 'dist');
const staging = join(root, `.dist-${process.pid}`);

await build({
  absWorkingDir: root,
  entryPoints: {
    server: 'src/main.ts',
    runner: 'src/runner/program/main.ts',
    cli: 'src/surfaces/cli/main.ts',
    'scripted-agent': 'src/scripted-agent/main.ts',
    screens: 'src/screens/thread.ts',
    'fork-server': 'src/git/fork-server-program.ts',
  },
  outdir: staging,
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  sourcemap: false,
  legalComments: 'none',
  // A third less text to compile at each start and to keep in memory. Names stay, so that an error's stack can be read.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 160,
  logLevel: 'warning',
  // Its main file is UMD, whose inner requires cannot be bundled.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  // Templates are imported as texts.
  loader: { '.yaml': 'text' },
  // Native code cannot be bundled, and what resolves files beside itself must stay a package.
  external: ['node-pty', 'libsql'],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});
await cp(join(root, 'src/storage/migrations'), join(staging, 'migrations'), { recursive: true });

const pageSources = await hashOf(
  ...['client', 'shared/src', 'bun.lock', 'server/build.mjs', 'server/src/surfaces/rest/docs'].map((path) =>
    join(root, '..', path),
  ),
);
const pageMark = join(dist, 'page-sources');

try {
  // Building the pages takes most of the time, so they are built again only if their sources have changed.
  const changed = pageSources !== (await readFile(pageMark, 'utf8').catch(() => null));
  if (changed) {
    await buildPage({
      root: join(root, '../client'),
      logLevel: 'error',
      build: { outDir: join(staging, 'client'), emptyOutDir: true },
    });
    await cp(join(root, 'src/surfaces/rest/docs'), join(staging, 'docs'), { recursive: true });
    for (const folder of ['client', 'docs']) await compress(join(staging, folder));
    await rm(pageMark, { force: true });
  }
  await publish(staging, dist);
  await dropOld(join(dist, 'chunks'));
  if (changed) {
    await dropOld(join(dist, 'client/assets'));
    await writeFile(pageMark, pageSources);
  }
} finally {
  await rm(staging, { recursive: true, force: true });
}

/** One hash of all files in these places, their names and contents, but for what is made from them. */
async function hashOf(...places) {
  const hash = createHash('sha256');
  for (const place of places) {
    const files = (await stat(place)).isFile() ? [place] : await filesIn(place);
    for (const path of files.sort()) hash.update(`${path.slice(place.length)}\0`).update(await readFile(path));
  }
  return hash.digest('hex');
}

async function filesIn(folder) {
  const entries = await readdir(folder, { withFileTypes: true });
  const inside = entries.map((entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return [path];
    return entry.isDirectory() && !['node_modules', 'dist', 'test'].includes(entry.name) ? filesIn(path) : [];
  });
  return (await Promise.all(inside)).flat();
}

/**
 * Puts a `.br` and a `.gz` beside every text, however short: so none is left over from a build before when a file
 * shrinks. Brotli's best level takes almost three times as long as level 10 for 1.4 % fewer bytes, and for a megabyte level 9
 * takes a tenth of that time for 4 % more.
 */
async function compress(folder) {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const texts = files.filter(({ name }) => ['.css', '.html', '.js', '.svg', '.txt'].includes(extname(name)));
  await Promise.all(
    texts.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      const body = await readFile(path);
      const quality = body.length > 1_000_000 ? 9 : 10;
      const params = { [zlib.BROTLI_PARAM_QUALITY]: quality, [zlib.BROTLI_PARAM_SIZE_HINT]: body.length };
      await writeFile(`${path}.br`, await promisify(brotliCompress)(body, { params }));
      await writeFile(`${path}.gz`, await promisify(gzip)(body, { level: zlib.Z_BEST_COMPRESSION }));
    }),
  );
}

/** Moves every file of `from` over its place in `to`, chunks before the programs that import them. */
async function publish(from, to) {
  const files = (await readdir(from, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  const isEntry = (path) => dirname(path) === from || /index\.html(?:\.br|\.gz)?$/.test(path);
  for (const path of [...paths.filter((p) => !isEntry(p)), ...paths.filter(isEntry)]) {
    const target = join(to, path.slice(from.length + 1));
    await mkdir(dirname(target), { recursive: true });
    await rename(path, target);
  }
}

/** Parts of earlier programs and pages stay for a day, for whoever has one open; a page whose parts are gone offers to reload. */
async function dropOld(folder) {
  const day = 24 * 60 * 60 * 1000;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (Date.now() - (await stat(path)).mtimeMs > day) await rm(path, { force: true });
  }
}
