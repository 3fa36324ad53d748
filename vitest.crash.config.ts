import { defineConfig } from 'vitest/config';
import { common } from './vitest.config.ts';

/** The suite that kills and replaces servers and takes git, the disk and the database away, run by `npm run test:crash`. */
export default defineConfig({ test: { ...common, include: ['server/test/crash/**/*.test.ts'] } });
