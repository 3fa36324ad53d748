import { defineConfig } from 'vitest/config';
import { common } from './vitest.config.ts';

/**
 * The suite with consoles of real processes, run by `npm run test:e2e`. In `crash/`, servers are killed and replaced, and
 * git, the disk and the database fail.
 */
export default defineConfig({ test: { ...common, include: ['server/test/{crash,e2e}/**/*.test.ts'] } });
