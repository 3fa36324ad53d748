#!/usr/bin/env node
import { existsSync } from 'node:fs';

const cli = new URL('../dist/cli.js', import.meta.url);
if (!existsSync(cli)) {
  process.stderr.write('agent-console is not built yet. Run `npm run build` in the folder you cloned.\n');
  process.exit(1);
}
await import(cli.href);
