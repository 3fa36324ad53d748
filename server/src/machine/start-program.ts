import { spawn } from 'node:child_process';
import { EDITOR_START_MS } from '@agent-console/shared/limits/commands';
import type { Host } from '../ports/host.ts';

const OUTPUT_MAX_CHARS = 500;

/** Starts a program in its own process group, so that it can outlive the server. */
export const startProgram: Host['startProgram'] = (file, args, { cwd, env }) =>
  new Promise((resolve) => {
    const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT_MAX_CHARS);
    });
    const finish = (exitCode: number | null) => {
      clearTimeout(limit);
      child.stderr.destroy();
      child.unref();
      resolve({ exitCode, output: output.trim() });
    };
    const limit = setTimeout(() => finish(null), EDITOR_START_MS);
    child.on('error', (error) => {
      output = error.message;
      finish(127);
    });
    child.on('exit', (exitCode) => finish(exitCode ?? 1));
  });
