import { CONTRACTS } from '@agent-console/shared/operations/table';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createCli } from '../../../src/surfaces/cli/cli.ts';

const program = createCli('');

/** Excludes `help`, which Commander adds to the visible commands. */
const isOurs = (command: Command) => command.name() !== 'help';

function withSubcommands(command: Command): Command[] {
  return [command, ...command.createHelp().visibleCommands(command).filter(isOurs).flatMap(withSubcommands)];
}

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

const commands = withSubcommands(program).filter((command) => command !== program);
const options = commands.flatMap((command) =>
  command.options.filter(({ hidden }) => !hidden).map((option) => ({ command: pathOf(command), option })),
);

function find(...names: string[]): Command {
  return names.reduce((command, name) => {
    const found = command.commands.find((each) => each.name() === name);
    if (found === undefined) throw new Error(`no command ${names.join(' ')}`);
    return found;
  }, program);
}

describe('the help', () => {
  it('describes every command, argument and flag', () => {
    const undescribed = [
      ...commands.filter((command) => command.description() === '').map(pathOf),
      ...commands.flatMap((command) =>
        command.registeredArguments
          .filter(({ description }) => description === '')
          .map((argument) => `${pathOf(command)} <${argument.name()}>`),
      ),
      ...options.filter(({ option }) => option.description === '').map((each) => `${each.command} ${each.option.long}`),
    ];
    expect(undescribed).toEqual([]);
  });

  it('is in sentence case, without a full stop after a label', () => {
    const lines = commands.flatMap((command) =>
      command
        .helpInformation()
        .split('\n')
        .filter((line) => /^ {2}\S/.test(line))
        .map((line) => ({ command: pathOf(command), text: line.split(/ {2,}/)[2] ?? '' })),
    );
    expect(lines.filter(({ text }) => /^[a-z]/.test(text))).toEqual([]);
    const own = ['serve', 'stop', 'open', 'setup', 'doctor', 'demo'].flatMap((name) => [
      find(name).description(),
      ...find(name).options.map(({ description }) => description),
    ]);
    expect(own.filter((text) => text.endsWith('.'))).toEqual([]);
  });

  it('says what each group of commands does', () => {
    const groups = program.commands.filter((command) => command.commands.length > 0 && command.name() !== 'mcp');
    for (const group of groups) expect(group.description(), group.name()).toMatch(/^[A-Z].*[^.]$/);
    expect(find('repositories').description()).toBe('Registered git repositories');
    expect(find('session').description()).toBe('Aliases of `sessions` commands');
    expect(program.helpInformation()).not.toMatch(/^ {2}session /m);
  });

  it('names the kind of value of each flag', () => {
    const vague = options.filter(({ option }) => /<(?:text|value|string)>/.test(option.flags));
    expect(vague.map(({ command, option }) => `${command} ${option.flags}`)).toEqual([]);
    expect(find('delegate').helpInformation()).toMatch(/--base-branch <branch> .*--repository <repository> /s);
    expect(find('sessions', 'stop').helpInformation()).toContain('stop [options] <session>');
  });

  it('describes each --no- flag with a negation', () => {
    const negations = /\b(?:not|no|never|without|others|unpin|unread)\b/i;
    const unclear = options
      .filter(({ option }) => option.negate)
      .filter(({ option }) => !negations.test(option.description))
      .map(({ command, option }) => `${command} ${option.long}: ${option.description}`);
    expect(unclear).toEqual([]);
    const switches = options.filter(({ option }) => !option.required && !option.optional);
    expect(switches.filter(({ option }) => /^(?:do not )?whether\b/i.test(option.description))).toEqual([]);
    const contradictory = options.filter(({ option }) =>
      /\(default (?:true|false)\)|^(?:true|false):/.test(option.description),
    );
    expect(contradictory.map(({ option }) => option.long)).toEqual([]);
  });

  it('has the words of the command line, not of the API', () => {
    // Commands whose arguments contain names from the API: filters of the audit log, and values that are JSON.
    const isAboutApi = (command: string) => /^agent-console (?:audit list|mcp-servers update) --/.test(command);
    const texts = [
      ...commands.map((command) => ({ command: pathOf(command), text: command.description() })),
      ...options.map(({ command, option }) => ({ command: `${command} ${option.long}`, text: option.description })),
    ];
    const foreign = /\bnull\b|\b[A-Z_]{6,}\b(?! (?:or|is))|\b[a-z]+\.[a-z]+[A-Z]?\w*\b(?=$| )/;
    const known = /AGENT_CONSOLE_|COLUMNS|\.(?:json|yaml|com|git|log)\b|ac\//;
    const found = texts.filter(({ command, text }) => foreign.test(text) && !known.test(text) && !isAboutApi(command));
    expect(found).toEqual([]);
    expect(texts.filter(({ text }) => text.includes('\u2019'))).toEqual([]);
    expect(find('sessions', 'wait').description()).not.toMatch(/\d s\b/);
  });

  it('explains both values of a filter with three states', () => {
    const switches = find('sessions', 'list').options;
    const helpOf = (flag: string) => switches.find(({ long }) => long === flag)?.description;
    expect(helpOf('--live')).toMatch(/^Only sessions with a live worker/i);
    expect(helpOf('--no-live')).not.toBe(helpOf('--live'));
  });

  it('lists every operation with a CLI form', () => {
    const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
    const paths = new Set(all(program).map((command) => pathOf(command).replace('agent-console ', '')));
    const missing = CONTRACTS.flatMap(({ cli }) => (cli === undefined ? [] : [cli.command, ...(cli.also ?? [])]));
    expect(missing.filter((command) => !paths.has(command))).toEqual([]);
  });
});
