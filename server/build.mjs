// Bundles each program of the server and the dashboard into dist/. Every file is written beside its place and renamed
// over it, so that a runner which restarts the server in the middle of a build starts the old or the new one, never half.
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { build as buildPage } from 'vite';

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, 'dist');
const staging = join(root, `.dist-${process.pid}`);

await build({
  absWorkingDir: root,
  entryPoints: {
    server: 'src/main.ts',
    runner: 'src/runner/program/main.ts',
    cli: 'src/surfaces/cli/main.ts',
    'scripted-agent': 'src/agents/scripted/main.ts',
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
  // Native code cannot be bundled, and what resolves files beside itself must stay a package.
  external: ['node-pty', 'libsql'],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});
await cp(join(root, 'src/storage/migrations'), join(staging, 'migrations'), { recursive: true });

try {
  await buildPage({
    root: join(root, '../client'),
    logLevel: 'warn',
    build: { outDir: join(staging, 'client'), emptyOutDir: true },
  });
  await publish(staging, dist);
} finally {
  await rm(staging, { recursive: true, force: true });
}

/** Moves every file of `from` over its place in `to`, chunks before the programs that import them. */
async function publish(from, to) {
  const files = (await readdir(from, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  const isEntry = (path) => dirname(path) === from || path.endsWith('index.html');
  for (const path of [...paths.filter((p) => !isEntry(p)), ...paths.filter(isEntry)]) {
    const target = join(to, path.slice(from.length + 1));
    await mkdir(dirname(target), { recursive: true });
    await rename(path, target);
  }
}
