// Bundles each program of the server and the dashboard into dist/. Each file is written to a temporary folder and
// renamed into dist/, so that a server restarted during a build never runs an incomplete program.
import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { build } from 'esbuild';
import { build as buildPage } from 'vite';

// React reads this variable. Every build contains the production version of React, so tests run the same code as users.
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
  // Minified code is a third shorter, so each start compiles less and uses less memory. Names are not shortened, so
  // that error stacks stay readable.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 160,
  logLevel: 'warning',
  // The main file of jsonc-parser is a UMD module, and esbuild cannot bundle the `require` calls inside it.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  // Files with templates of orchestrations are imported as strings.
  loader: { '.yaml': 'text' },
  // These packages are not bundled, because they load native code from their own folders.
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
  // Building the dashboard takes most of the time, so it is built again only if its sources have changed.
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

/** Returns one hash of the names and contents of all files at these paths. Skips `node_modules`, `dist` and `test`. */
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
 * Writes a `.br` and a `.gz` file beside each text file. Also compresses very short files, to replace the compressed
 * file of an earlier build. Brotli level 10 needs less than half the time of level 11, and its files are about 2 %
 * larger. Files above 1 MB use level 9, which needs about a fifth of the time of level 10.
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

/**
 * Renames every file of `from` to the same path in `to`. Programs and `index.html` come last, because they load the
 * other files.
 */
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

/**
 * Deletes files that were built more than a day ago. Files of earlier builds stay for a day, because running programs
 * and open pages may still load them. A page whose files are gone offers to reload.
 */
async function dropOld(folder) {
  const day = 24 * 60 * 60 * 1000;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (Date.now() - (await stat(path)).mtimeMs > day) await rm(path, { force: true });
  }
}
