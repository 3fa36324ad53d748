import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Builds the programs once before all tests, because the tests start the built programs. */
export default function build(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../build.mjs', import.meta.url))], { stdio: 'inherit' });
}
