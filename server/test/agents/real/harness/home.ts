import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { agentPath } from './clis.ts';

const KEY = 'sk-test-dummy';

function write(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value, null, 2));
}

/**
 * Prepares a HOME in which no agent asks its first-run questions and every agent uses the model at `modelUrl`.
 * @param trusted folder that all agents trust. If null, each agent asks whether to trust its folder.
 */
export function seedHome(home: string, modelUrl: string, trusted: string | null): void {
  write(join(home, '.claude.json'), {
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
    projects:
      trusted === null ? {} : { [trusted]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  });
  const codex = [
    'model = "scripted"',
    'model_provider = "scripted"',
    '[analytics]',
    'enabled = false',
    '[model_providers.scripted]',
    'name = "scripted"',
    `base_url = "${modelUrl}/v1"`,
    'wire_api = "responses"',
    'env_key = "SCRIPTED_API_KEY"',
    'request_max_retries = 0',
    'stream_max_retries = 0',
    ...(trusted === null ? [] : [`[projects.${JSON.stringify(trusted)}]`, 'trust_level = "trusted"']),
  ];
  write(join(home, '.codex', 'config.toml'), `${codex.join('\n')}\n`);
  write(join(home, '.gemini', 'settings.json'), {
    general: { enableAutoUpdate: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: trusted === null } },
  });
  write(join(home, '.config', 'opencode', 'opencode.json'), {
    autoupdate: false,
    share: 'disabled',
    // Disables opencode's snapshots before and after each step, because no test undoes a step.
    snapshot: false,
    model: 'scripted/scripted',
    small_model: 'scripted/scripted',
    provider: {
      scripted: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Scripted',
        options: { baseURL: `${modelUrl}/v1`, apiKey: KEY },
        models: { scripted: { name: 'Scripted', limit: { context: 200_000, output: 8_000 } } },
      },
    },
  });
  const git = '[user]\n\tname = Agent\n\temail = agent@example.invalid\n[init]\n\tdefaultBranch = main\n';
  write(join(home, '.gitconfig'), git);
}

/** Returns environment variables for the console's server, like those of a person who uses these agents. */
export function agentEnvironment(modelUrl: string): Record<string, string> {
  return {
    PATH: agentPath(),
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: KEY,
    // Without this variable, Claude Code would contact its vendor's servers before its first prompt.
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    CLAUDE_CODE_MAX_RETRIES: '0',
    IS_SANDBOX: '1',
    SCRIPTED_API_KEY: KEY,
    GEMINI_API_KEY: KEY,
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    GEMINI_MODEL: 'gemini-2.5-flash',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  };
}
