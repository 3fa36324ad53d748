import { type Argument, Command } from 'commander';
import { addContractCommands } from '../cli/contract-commands.ts';
import { cell, code, table, UPDATE } from './markdown.ts';

const HEAD = `# Commands

Generated from the operation table; ${UPDATE}. [The guide](../guide/cli.md) explains input and output, and the
commands that manage the console itself, such as \`serve\`. \`<command> --help\` lists the flags.
`;

/** Returns the table of commands that run operations, as Markdown, in the order of `--help`. */
export function cliReference(): string {
  const program = new Command();
  addContractCommands(program);
  const rows = program.commands.flatMap((group) => (group.commands.length === 0 ? [group] : group.commands)).map(rowOf);
  return `${HEAD}\n${table(['Command', 'Action'], rows)}\n`;
}

function rowOf(command: Command): string[] {
  const names = [command.name(), ...command.registeredArguments.map(usageOf)];
  const group = command.parent?.name() ?? '';
  return [code([group, ...names].join(' ').trim()), cell(command.description())];
}

function usageOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}
