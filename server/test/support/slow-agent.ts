import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InProcessApp } from './app.ts';
import type { OpenProgram } from './memory-runner/programs.ts';

/** The agent `slow`, whose process ignores every signal except SIGKILL. */
export function slowAgent() {
  let end = () => {};
  const slow: OpenProgram = ({ ended }) => {
    end = () => ended({ exitCode: 0, signal: null });
    return { input() {}, signal() {}, stop() {} };
  };
  return {
    /** Programs with which the app must be started. */
    programs: { slow },
    async addTo(c: InProcessApp): Promise<void> {
      const program = join(c.folder, 'slow');
      writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
      await c.client.call('agents.create', { id: 'slow', name: 'Slow', kind: 'claude-code', command: [program] });
    },
    /** Ends the process that was started last. */
    end: () => end(),
  };
}
