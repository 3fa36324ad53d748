// Installs the agents into a cache, each into its own folder. Agents that are already installed are not updated.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Installs `latest`, because people do. Without this tag, npm would install the newest version that supports this Node.
const PACKAGES = {
  claude: { wanted: '@anthropic-ai/claude-code@latest' },
  codex: { wanted: '@openai/codex@latest' },
  gemini: { wanted: '@google/gemini-cli@latest' },
  opencode: { wanted: 'opencode-ai@latest' },
  'claude-acp': { wanted: '@agentclientprotocol/claude-agent-acp@latest', program: 'claude-agent-acp' },
  'codex-acp': { wanted: '@agentclientprotocol/codex-acp@latest' },
  // An ACP client, which the tests use as an editor.
  acpx: { wanted: 'acpx@latest' },
};

/** Installs agents that are missing in `cache`. Returns a line with the reason for each agent that is still missing. */
export function installAgents(cache) {
  const missing = [];
  for (const [name, { wanted, program: own = name }] of Object.entries(PACKAGES)) {
    const folder = join(cache, name);
    const program = join(folder, 'node_modules', '.bin', own);
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
