import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { TestConsole } from '../../support/console.ts';

/** What the MCP client saw of the console. */
export interface Seen {
  tools: string[];
  instructions: string;
  /** Text of the result of `delegate_to_worktree`, which the program calls even if the tool is not listed. */
  delegated: string;
  failed: boolean;
}

/** `node <program> <era> <url> <file>`: connects without a token, and writes to the file what the client saw. */
const SOURCE = `
import { renameSync, writeFileSync } from 'node:fs';
import { ERAS } from './mcp.ts';
const [, , era, url, file] = process.argv;
const client = await ERAS[era](url);
const { tools } = await client.listTools();
const answer = await client.callTool('delegate_to_worktree', { prompt: '@report succeeded from ' + era });
const seen = {
  tools: tools.map((tool) => tool.name),
  instructions: client.instructions() ?? '',
  delegated: answer.content[0].text,
  failed: answer.isError === true,
};
writeFileSync(file + '.new', JSON.stringify(seen));
renameSync(file + '.new', file);
await client.close();
`;

/**
 * Bundles an MCP client that knows only the URL of the console, for the protocols of 2025 and of 2026. Returns the path
 * of the program.
 */
export async function buildPlainClient(folder: string): Promise<string> {
  const outfile = join(folder, 'plain-client.mjs');
  await build({
    stdin: { contents: SOURCE, resolveDir: fileURLToPath(new URL('.', import.meta.url)), loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'error',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  return outfile;
}

/** Waits for a file that a process writes in one step, and reads it. */
export function fileOf(c: TestConsole, file: string): Promise<string> {
  return c.until(file, async () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined));
}

/** Runs a program as a child of the test itself, and so outside the console. */
export function runOutside(file: string, args: readonly string[], env = process.env): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(file, args, { env }, (error) => (error === null ? resolve() : reject(error)));
  });
}
