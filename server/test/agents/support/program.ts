import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles the scripted agent as the product does, into a folder of its own. */
export async function buildScriptedAgent(): Promise<{ path: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'scripted-agent-'));
  await build({
    entryPoints: { 'scripted-agent': fileURLToPath(new URL('../../../src/agents/scripted/main.ts', import.meta.url)) },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  return { path: join(folder, 'scripted-agent.mjs'), remove: () => rm(folder, { recursive: true, force: true }) };
}
