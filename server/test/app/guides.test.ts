import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { runInProcess } from '../support/cli.ts';
import { blocksOf, fill, guides, outputDifference, readDocument, type Step, stepsOf } from '../support/documents.ts';

/** Guides tested elsewhere: with real processes (e2e/operations-guide.test.ts) or as tool calls (workflows.test.ts). */
const ELSEWHERE = ['docs/guide/operations.md', 'docs/guide/workflows.md'];

const documents = ['README.md', ...guides()]
  .filter((path) => !ELSEWHERE.includes(path))
  .map((path) => ({ path, steps: stepsIn(path) }))
  .filter(({ steps }) => steps.length > 0);

function stepsIn(path: string): Step[] {
  const blocks = blocksOf(readDocument(path));
  return blocks.filter(({ info }) => info === '').flatMap(stepsOf);
}

/** Commands that only read. They are repeated until they print the expected output, which may take a moment. */
const READS = /^(?:npx )?agent-console \S+ (?:list|get|messages|output|wait)\b|^curl (?!.* -d )/s;

it.each(documents)('$path shows what its commands print', async ({ path, steps }) => {
  const c = await startTestApp();
  try {
    const checkout = join(c.folder, 'typed', 'shop');
    c.git(['clone', '--quiet', c.repository.path, checkout]);
    c.git(['remote', 'remove', 'origin'], checkout);
    const { data } = await c.client.call('worktrees.list', { repositoryId: c.repository.id });
    const names = new Map([['main worktree', data[0]?.id ?? '']]);
    // Guides that do not add the repository themselves use one that is registered already.
    if (!readDocument(path).includes('/path/to/shop')) names.set('repository', c.repository.id);
    const local = (text: string) =>
      text
        .replaceAll('http://127.0.0.1:3457', c.baseUrl)
        .replaceAll('/path/to/shop', checkout)
        .replaceAll('/path/to/greet.yaml', join(c.folder, 'greet.yaml'));
    const env = {
      PATH: `${agentPrograms(c.folder)}:${process.env.PATH}`,
      HOME: c.env.HOME ?? '',
      AGENT_CONSOLE_HOME: c.home,
      AGENT_CONSOLE_BASE_URL: c.baseUrl,
    };
    for (const { command, shown } of steps) {
      const commandLine = local(fill(command, names));
      const compare = async () => {
        const printed = await run(commandLine, env);
        return shown === null ? undefined : outputDifference(local(shown), printed, names);
      };
      let difference = await compare();
      if (difference !== undefined && READS.test(command)) {
        await c
          .until(command, async () => {
            difference = await compare();
            return difference === undefined;
          })
          .catch(() => {});
      }
      expect(difference, command).toBeUndefined();
    }
  } finally {
    await c.close();
  }
});

/**
 * Creates stand-ins for the programs of the built-in agents, because `setup` looks for these programs on PATH. Returns
 * their folder.
 */
function agentPrograms(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const name of ['claude', 'codex', 'gemini', 'opencode']) {
    writeFileSync(join(bin, name), '#!/bin/sh\nexit 1\n');
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}

/** Runs commands of the console in this process, which is faster, and other commands in a shell. Returns the output. */
async function run(command: string, env: Record<string, string>): Promise<string> {
  // If a command ends with `; echo $?`, the document shows progress from stderr, then the result and the exit code, as
  // in a terminal.
  const [, before] = /^(agent-console .*); echo \$\?$/s.exec(command) ?? [];
  if (before !== undefined) {
    const { out, err, code } = await runInProcess(wordsOf(before)?.slice(1) ?? [], env);
    return `${err}${out}${code}\n`;
  }
  const words = wordsOf(command);
  const own = words?.[0] === 'npx' ? words.slice(1) : words;
  if (own?.[0] === 'agent-console') {
    const { out, err } = await runInProcess(own.slice(1), env);
    return out + err;
  }
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { env }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
}

/** Returns the words of a simple command line, or undefined if it needs a shell. */
function wordsOf(command: string): string[] | undefined {
  const line = command.replaceAll('\\\n', ' ');
  if (/[|&;<>$`\\]/.test(line.replace(/'[^']*'/g, ''))) return undefined;
  return (line.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replace(/'([^']*)'/g, '$1'));
}
