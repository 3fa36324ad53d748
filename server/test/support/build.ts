import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Runs once before all tests: what they start are the built programs, so these must be today's. */
export default function build(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../build.mjs', import.meta.url))], { stdio: 'inherit' });
}
