import { ConsoleError } from '@agent-console/shared/errors';
import { type AnySchema, toolsOf } from '@agent-console/shared/operation';
import { CONTRACTS, contractOf } from '@agent-console/shared/operations/table';
import { validate } from '@agent-console/shared/validate';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';

const ID = '01923456-7890-7abc-8def-0123456789ab';

function refused(schema: AnySchema, input: unknown): string {
  try {
    validate(schema, input);
  } catch (error) {
    if (error instanceof ConsoleError && error.code === 'VALIDATION') return error.message;
    throw error;
  }
  throw new Error(`was not refused: ${JSON.stringify(input)}`);
}

type Check = v.BaseValidation<unknown, unknown, v.BaseIssue<unknown>> & { message?: unknown };
interface Parts {
  kind?: string;
  type?: string;
  pipe?: Parts[];
  wrapped?: Parts;
  item?: Parts;
  key?: Parts;
  value?: Parts;
  entries?: Record<string, Parts>;
  options?: (Parts | string)[];
}

/**
 * Returns those checks of a schema, at any depth, that have no message of their own. Leaves out `rawCheck`, which
 * always has a message.
 */
function checksIn(schema: Parts): Check[] {
  if (schema.kind === 'validation') {
    const check = schema as unknown as Check;
    return check.message === undefined && check.type !== 'raw_check' ? [check] : [];
  }
  const below = [schema.wrapped, schema.item, schema.key, schema.value, ...(schema.pipe ?? [])];
  const parts = [...below, ...Object.values(schema.entries ?? {}), ...(schema.options ?? [])];
  return parts.flatMap((part) => (typeof part === 'object' && part !== schema ? checksIn(part) : []));
}

const WRONG = ['', ' ', 'x', '\n', 'x'.repeat(2 ** 21), 1.5, 1e15 + 0.5, -1e12, 1e12, [], Array(10_000).fill('x')];
const MANY = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`k${at}`, '']));

describe('an invalid input', () => {
  it('has an error message for each kind of check, in every field of every operation and tool', () => {
    const schemas = CONTRACTS.flatMap((contract) => [contract.input, ...toolsOf(contract).map(({ input }) => input)]);
    const checks = schemas.flatMap((schema) => (schema === undefined ? [] : checksIn(schema as unknown as Parts)));
    const kinds = new Map(checks.map((check) => [check.type, check]));
    expect([...kinds.keys()]).toEqual(
      expect.arrayContaining(['safe_integer', 'iso_timestamp', 'min_length', 'max_entries']),
    );
    for (const [kind, check] of kinds) {
      const schema = v.pipe(v.any(), check as never);
      const input = [...WRONG, MANY].find((value) => !v.safeParse(schema, value).success);
      if (input === undefined) throw new Error(`no wrong input for ${kind}`);
      const told = refused(schema, input);
      expect(told, kind).toMatch(/^expected (?!a valid |undefined|null|\/)/);
    }
  });

  const cases: [operation: Parameters<typeof contractOf>[0], input: Record<string, unknown>, says: string][] = [
    ['sessions.list', { limit: 1.5 }, 'limit: expected a whole number'],
    ['tokens.create', { name: 'x', expiresAt: 'tomorrow' }, 'expiresAt: expected an ISO 8601 timestamp, such as 2026-'],
    ['repositories.update', { repositoryId: ID, cleanupCommand: '' }, 'cleanupCommand: expected at least 1 character'],
    ['sessions.update', { sessionId: ID, title: ' \u00a0' }, 'title: must not be blank'],
    ['sessions.create', { cwd: '/tmp', title: '  ' }, 'title: must not be blank'],
    ['repositories.update', { repositoryId: ID, name: '  ' }, 'name: must not be blank'],
  ];
  it.each(cases)('%s of %j', (operation, input, says) => {
    expect(refused(contractOf(operation).input, input)).toContain(says);
  });

  it('is explained by its first three problems and the number of the others', () => {
    const told = (count: number) => refused(v.array(v.string()), Array(count).fill(1));
    const first = '0: expected string; 1: expected string; 2: expected string';
    expect(told(3)).toBe(first);
    expect(told(4)).toBe(`${first} (and 1 more problem)`);
    expect(told(5)).toBe(`${first} (and 2 more problems)`);
  });

  it('is not an empty title, which clears the title', () => {
    expect(validate(contractOf('sessions.update').input, { sessionId: ID, title: '' })).toMatchObject({ title: '' });
  });
});
