import { CONTRACTS } from '@agent-console/shared/operations/table';
import { Command } from 'commander';
import { expect, it } from 'vitest';
import { addContractCommands } from '../../../src/surfaces/cli/contract-commands.ts';
import { withHelp } from '../../../src/surfaces/cli/help.ts';
import { fieldsOf } from '../../../src/surfaces/input.ts';

const program = withHelp(new Command('agent-console'));
addContractCommands(program);

function commandsBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsBelow)];
}

const named = (...names: string[]) =>
  names.reduce((command, name) => {
    const found = command.commands.find((each) => each.name() === name);
    if (found === undefined) throw new Error(`no command ${names.join(' ')}`);
    return found;
  }, program);

it('of a flag that turns off says what is without it', () => {
  expect(named('delegate').helpInformation()).toMatch(
    /--no-notify-on-completion +Do not notify the caller when the work ends/,
  );
});

it('of a filter with three answers says both', () => {
  const help = named('sessions', 'list').helpInformation();
  expect(help).toMatch(/--live +Only sessions with a live worker/);
  expect(help).toMatch(/--no-live +Only those without one/);
});

it('can say what each answer means that a field with yes and no takes', () => {
  const unclear = CONTRACTS.flatMap((contract) =>
    [...fieldsOf(contract.input)].flatMap(([field, shape]) => {
      if (shape.kind !== 'boolean' || shape.default === false) return [];
      const words = shape.description ?? '';
      const wanted = shape.default === true ? /^false: / : /^true: .+; false: /;
      return wanted.test(words) ? [] : [`${contract.name} ${field}: ${words}`];
    }),
  );
  expect(unclear).toEqual([]);
});

it('says of each noun what it is, and begins each line with a capital or a value', () => {
  for (const command of program.commands) expect(command.description(), command.name()).not.toMatch(/^Work with|^$/);
  const lower = commandsBelow(program).flatMap((command) =>
    command
      .helpInformation()
      .split('\n')
      .filter((line) => /^ {2}\S/.test(line))
      .map((line) => line.split(/ {2,}/)[2] ?? '')
      .filter((words) => /^[a-z]/.test(words) && !/^\w+:/.test(words))
      .map((words) => `${command.name()}: ${words}`),
  );
  expect(lower).toEqual([]);
});
