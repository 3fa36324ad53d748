import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const templates = new Map<string, string>();

/**
 * Puts a repository at `path`, which must not exist yet: a copy of the one that `make` makes at the path it is given. It is
 * made once per `key` and process, since making one takes several runs of git and a copy none.
 */
export function copyRepository(key: string, path: string, make: (path: string) => void): void {
  let template = templates.get(key);
  if (template === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'agent-console-template-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    template = join(folder, 'repository');
    make(template);
    // Git's examples of hooks: most of the files of an empty repository, and of no use in a test.
    const hooks = join(template, '.git/hooks');
    for (const name of readdirSync(hooks)) rmSync(join(hooks, name));
    templates.set(key, template);
  }
  cpSync(template, path, { recursive: true });
}
