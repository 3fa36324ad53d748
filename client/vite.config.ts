import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { operationRoutes } from './operation-routes.ts';

/** Console to which `npx vite` forwards requests. To choose one: `CONSOLE=http://127.0.0.1:3457 npx vite`. */
const target = process.env.CONSOLE ?? 'http://127.0.0.1:3457';
const forward = { target, changeOrigin: true, headers: { origin: target } };

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [operationRoutes(), react(), tailwind()],
  // TanStack Store imports a shim for React versions without `useSyncExternalStore`, which React 19 has.
  resolve: { alias: { 'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector' } },
  build: {
    outDir: 'dist',
    // `page-size.test.ts` reads in the manifest which chunks the first page downloads, and limits their size.
    manifest: 'manifest.json',
    // The CSP refuses data: URLs.
    assetsInlineLimit: 0,
    // Chunks are not preloaded. The console is on the same machine, so a list of chunks would cost more than the round
    // trips that it saves.
    modulePreload: { polyfill: false, resolveDependencies: () => [] },
    target: 'es2023',
    rolldownOptions: {
      output: {
        // The code that every page needs is one file, because many small files compress worse and load sequentially.
        codeSplitting: { groups: [{ name: 'frame', tags: ['$initial'] }] },
      },
    },
  },
  server: { proxy: { '/api': forward, '/ws': { ...forward, ws: true } } },
});
