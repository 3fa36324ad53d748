import { ConsoleError } from '@agent-console/shared/errors';
import { type Contract, type ToolForm, toolsOf } from '@agent-console/shared/operation';
import { fieldsOf } from '../input.ts';
import type { Spelling } from '../spelling.ts';
import type { Tool } from './tools.ts';

/** The arguments of a tool under the names of its operation's fields. VALIDATION where two of them say the same. */
export function byField({ names = {} }: ToolForm, args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields = new Map<string, unknown>();
  const givenAs = new Map<string, string>();
  for (const [arg, value] of Object.entries(args)) {
    if (value === undefined) continue;
    const field = Object.hasOwn(names, arg) ? (names[arg] ?? arg) : arg;
    const other = givenAs.get(field);
    if (other !== undefined) {
      throw new ConsoleError('VALIDATION', `${arg}: says the same as ${other}; give one of them`, { field: arg });
    }
    givenAs.set(field, arg);
    fields.set(field, value);
  }
  // An argument called __proto__ stays a field of its own, to be refused by name.
  return Object.fromEntries(fields);
}

/** How a tool calls what its operation calls otherwise: as the call did, else as its list of arguments begins. */
export function spellingOf({ contract, form, input }: Tool, args: Readonly<Record<string, unknown>>): Spelling {
  const { names = {} } = form;
  const own = fieldsOf(input);
  return {
    field(name) {
      const others = Object.keys(names).filter((arg) => names[arg] === name);
      const given = others.find((arg) => args[arg] !== undefined);
      if (given !== undefined || own.has(name)) return given ?? name;
      return others[0] ?? (fieldsOf(contract.input).has(name) ? name : undefined);
    },
    operation: (asked) => toolOf(asked, form.name),
  };
}

/** The tool of an operation, in the family of the one that was called where it has one there. */
function toolOf(contract: Contract, called: string): string | undefined {
  const tools = toolsOf(contract).map(({ name }) => name);
  return tools.find((name) => name.startsWith('agor_') === called.startsWith('agor_')) ?? tools[0];
}
