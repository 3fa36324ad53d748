// Installs the agents into a cache, each into a folder of its own; what is there already stays as it is.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Without a tag npm takes the newest whose "engines" fit this Node, which is not what people have.
const PACKAGES = {
  claude: '@anthropic-ai/claude-code@latest',
  codex: '@openai/codex@latest',
  gemini: '@google/gemini-cli@latest',
  opencode: 'opencode-ai@latest',
};

/** Installs what is missing in `cache`; answers one line for each agent that is still missing, with the reason. */
export function installAgents(cache) {
  const missing = [];
  for (const [name, wanted] of Object.entries(PACKAGES)) {
    const folder = join(cache, name);
    const program = join(folder, 'node_modules', '.bin', name);
    if (existsSync(program)) continue;
    console.log(`installing ${wanted} ...`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
    const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', wanted];
    const npm = spawnSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
    if (npm.status !== 0 || !existsSync(program)) {
      missing.push(
        `${name}: ${(npm.stderr || String(npm.error ?? 'no program after the install')).trim().slice(0, 500)}`,
      );
    }
  }
  return missing;
}
