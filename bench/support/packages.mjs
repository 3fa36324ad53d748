import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const requireFromServer = createRequire(join(ROOT, 'server/package.json'));

/** Loads a package of the server as CommonJS. */
export const load = (name) => requireFromServer(name);

/**
 * Loads the ES module build of a package. `require.resolve` finds the CommonJS build in `dist/cjs/`, so the path is
 * changed to the same file in `dist/esm/`.
 */
export function loadModule(name) {
  const file = requireFromServer.resolve(name).replace('/dist/cjs/', '/dist/esm/');
  return import(pathToFileURL(file).href);
}

/** Returns the path of a file of the bench, for programs started as processes. */
export const program = (name) => join(dirname(fileURLToPath(import.meta.url)), '..', name);
