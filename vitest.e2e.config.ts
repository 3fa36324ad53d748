import { defineConfig } from 'vitest/config';
import { common, REAL_PROCESSES } from './vitest.config.ts';

/** Tests with real processes, run by `npm run test:e2e`. Some of these tests kill the processes. */
export default defineConfig({ test: { ...common, include: REAL_PROCESSES } });
