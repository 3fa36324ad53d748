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
  // TanStack Store imports a shim for `useSyncExternalStore`. React 19 has this hook, so the alias bypasses the shim.
  resolve: { alias: { 'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector' } },
  build: {
    outDir: 'dist',
    // `page-size.test.ts` reads in the manifest which chunks the first page downloads, and limits their size.
    manifest: 'manifest.json',
    // The CSP forbids data: URLs, so no asset is inlined.
    assetsInlineLimit: 0,
    // Chunks are not preloaded. The console is usually on the same machine, so round trips are short. A list of chunks
    // to preload would cost more time than it saves.
    modulePreload: { polyfill: false, resolveDependencies: () => [] },
    target: 'es2023',
    rolldownOptions: {
      output: {
        // Puts the code that every page needs into one file. Many small files compress worse and load sequentially.
        codeSplitting: { groups: [{ name: 'frame', tags: ['$initial'] }] },
      },
    },
  },
  server: { proxy: { '/api': forward, '/ws': { ...forward, ws: true } } },
});
