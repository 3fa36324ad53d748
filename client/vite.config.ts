import { defineConfig } from 'vite';

/** A server of your own for `npx vite`, e.g. `CONSOLE=http://127.0.0.1:3457 npx vite`. */
const target = process.env.CONSOLE ?? 'http://127.0.0.1:3457';
const forward = { target, changeOrigin: true, headers: { origin: target } };

export default defineConfig({
  build: {
    outDir: 'dist',
    // The page's policy allows nothing inline, so nothing is turned into data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
  },
  server: { proxy: { '/api': forward, '/ws': { ...forward, ws: true } } },
});
