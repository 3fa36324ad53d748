import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const requireFromServer = createRequire(join(ROOT, 'server/package.json'));

/** A package of the server, as CommonJS. */
export const load = (name) => requireFromServer(name);

/**
 * The module build of a package that offers both: `dist/cjs/...` is what a require finds, its neighbour is what an import
 * would.
 */
export function loadModule(name) {
  const file = requireFromServer.resolve(name).replace('/dist/cjs/', '/dist/esm/');
  return import(pathToFileURL(file).href);
}

/** Folder of a file of the bench, for programs started as processes. */
export const program = (name) => join(dirname(fileURLToPath(import.meta.url)), '..', name);
