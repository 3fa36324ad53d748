import { CONTRACTS } from '@agent-console/shared/operations/table';
import { validate } from '@agent-console/shared/validate';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createCli } from '../../../src/surfaces/cli/cli.ts';
import { inputOf } from '../../../src/surfaces/cli/inputs.ts';

const program = createCli('');
const ID = '0193a1b2-c3d4-7e5f-8a6b-0c9d8e7f6a5b';
const HIDDEN = ['introduce', 'complete'];

const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
const pathOf = (command: Command): string =>
  command.parent === null ? '' : `${pathOf(command.parent)} ${command.name()}`.trim();
const commands = leaves(program).filter((command) => !HIDDEN.includes(command.name()));

function examplesIn(command: Command): string[] {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  const [, examples = ''] = text.split('\nExamples:\n');
  return examples.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}

/** Splits a command line into words like a shell, up to the first operator of the shell. */
function wordsOf(line: string): string[] {
  const [simple = ''] = line.replace(/^.*?agent-console /, '').split(/ (?:<|&&|\|) |\)$/);
  return [...simple.matchAll(/\$'([^']*)'|'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, escaped, single, double, plain]) => escaped?.replaceAll('\\r', '\r') ?? single ?? double ?? plain ?? '',
  );
}

describe('the examples in the help', () => {
  it.each(commands.map((command) => ({ path: pathOf(command), command })))(
    'show how to use $path',
    async ({ path, command }) => {
      const lines = examplesIn(command);
      expect(lines.length).toBeGreaterThan(0);
      const contract = CONTRACTS.find(
        ({ cli }) => cli !== undefined && [cli.command, ...(cli.also ?? [])].includes(path),
      );
      let args: unknown[] | undefined;
      command.action((...given: unknown[]) => {
        args = given;
      });
      for (const line of lines) {
        expect(line).toContain(`agent-console ${path}`);
        args = undefined;
        await program.parseAsync(wordsOf(line), { from: 'user' });
        expect(args, line).toBeDefined();
        if (contract?.cli === undefined || args === undefined || line.includes(' - ')) continue;
        const input = await inputOf(contract, contract.cli, args, command.opts());
        for (const field of Object.keys(contract.ids ?? {})) {
          const value = input[field];
          if (value !== undefined && value !== null) input[field] = Array.isArray(value) ? [ID] : ID;
        }
        expect(() => validate(contract.input, input), line).not.toThrow();
      }
    },
  );
});
