import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { operationRoutes } from './operation-routes.ts';

/** A server of your own for `npx vite`, e.g. `CONSOLE=http://127.0.0.1:3457 npx vite`. */
const target = process.env.CONSOLE ?? 'http://127.0.0.1:3457';
const forward = { target, changeOrigin: true, headers: { origin: target } };

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [operationRoutes(), react(), tailwind()],
  build: {
    outDir: 'dist',
    // Which file needs which, for the check of what a page has to load.
    manifest: 'manifest.json',
    // The page's policy allows nothing inline, so nothing is turned into data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    rolldownOptions: {
      output: {
        // What every page needs is one file: many small ones compress worse and are asked for one after the other.
        codeSplitting: { groups: [{ name: 'frame', tags: ['$initial'] }] },
      },
    },
  },
  server: { proxy: { '/api': forward, '/ws': { ...forward, ws: true } } },
});
