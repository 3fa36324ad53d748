import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Lines of a `.gitconfig`. With them, git does not start another process after every commit to check whether the
 * repository needs maintenance.
 */
export const NO_MAINTENANCE = '[maintenance]\nauto = false\n';

const templates = new Map<string, string>();

/**
 * Creates a repository at `path`, which must not exist. `make` runs git several times, so it is called only once per
 * `key` and process, and its repository is copied.
 */
export function copyRepository(key: string, path: string, make: (path: string) => void): void {
  let template = templates.get(key);
  if (template === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'agent-console-template-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    template = join(folder, 'repository');
    make(template);
    // The sample hooks of git are most of the files of an empty repository, and no test needs them.
    const hooks = join(template, '.git/hooks');
    for (const name of readdirSync(hooks)) rmSync(join(hooks, name));
    templates.set(key, template);
  }
  copyFolder(template, path);
}

/** Copies files, links and folders. `cpSync` takes three times as long, because it checks each path several times. */
function copyFolder(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyFolder(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else copyFileSync(source, target);
  }
}
