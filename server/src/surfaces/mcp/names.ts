import { fieldError } from '@agent-console/shared/errors';
import { type Contract, type ToolForm, toolsOf } from '@agent-console/shared/operation';
import type { Names } from '../error-names.ts';
import { fieldsOf } from '../input.ts';
import type { Tool } from './tools.ts';

/** Renames arguments to fields of the operation. @throws VALIDATION if two arguments name the same field. */
export function byField({ names = {} }: ToolForm, args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields = new Map<string, unknown>();
  const passedAs = new Map<string, string>();
  for (const [arg, value] of Object.entries(args)) {
    if (value === undefined) continue;
    const field = Object.hasOwn(names, arg) ? (names[arg] ?? arg) : arg;
    const other = passedAs.get(field);
    if (other !== undefined) {
      throw fieldError(arg, `is an alias of ${other}; pass only one of them`);
    }
    passedAs.set(field, arg);
    fields.set(field, value);
  }
  // `Object.fromEntries` also creates a field for an argument named `__proto__`, so the error message can name it.
  return Object.fromEntries(fields);
}

/**
 * Returns the names that error messages use for a tool's arguments: the name under which the call passed the argument,
 * otherwise the name in the tool's schema.
 */
export function namesOf({ form, input }: Tool, args: Readonly<Record<string, unknown>>): Names {
  const { names = {} } = form;
  const own = fieldsOf(input);
  return {
    field(name) {
      const others = Object.keys(names).filter((arg) => names[arg] === name);
      const passed = others.find((arg) => args[arg] !== undefined);
      if (passed !== undefined || own.has(name)) return passed ?? name;
      return others[0] ?? name;
    },
    operation: (asked) => toolOf(asked, form.name),
  };
}

/**
 * Returns the name of a tool of the operation; undefined if the operation has no tool. Prefers a tool with the prefix
 * `agor_` if the called tool has this prefix, otherwise a tool without it.
 */
function toolOf(contract: Contract, called: string): string | undefined {
  const tools = toolsOf(contract).map(({ name }) => name);
  return tools.find((name) => name.startsWith('agor_') === called.startsWith('agor_')) ?? tools[0];
}
