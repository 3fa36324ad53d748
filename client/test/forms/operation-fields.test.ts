import { execFileSync } from 'node:child_process';
import { CONTRACTS, contractOf, type OperationName } from '@agent-console/shared/operations/table';
import { validate } from '@agent-console/shared/validate';
import { expect, test } from 'vitest';
import { inputSchema } from '../../../server/src/surfaces/json-schema.ts';
import { commandOf, fieldsOf, inputOf } from '../../src/shell/operation/fields.ts';

type Form = Parameters<typeof fieldsOf>[0];

function formOf(name: string): Form {
  const { summary, effect, access, ids, cli, input } = contractOf(name as OperationName);
  return {
    summary,
    effect,
    access,
    input: inputSchema(input),
    ...(ids === undefined ? {} : { ids }),
    ...(cli === undefined ? {} : { command: cli.command }),
    ...(cli?.positional === undefined ? {} : { positional: cli.positional }),
  } as Form;
}

const fieldNames = (schema: unknown) => Object.keys((schema as { entries: Record<string, unknown> }).entries);

test('every operation field is in the form, except for the idempotency key', () => {
  for (const { name, input } of CONTRACTS) {
    const shown = fieldsOf(formOf(name)).map((field) => field.name);
    expect(shown.toSorted(), name).toEqual(
      fieldNames(input)
        .filter((field) => field !== 'idempotencyKey')
        .toSorted(),
    );
  }
});

test('required fields come first, and untouched ones are not sent', () => {
  const fields = fieldsOf(formOf('delegations.create'));
  expect(fields[0]).toMatchObject({ name: 'prompt', kind: 'text', required: true });
  expect(inputOf(fields, { prompt: 'Fix it', branch: '', title: undefined })).toEqual({ prompt: 'Fix it' });
});

test('form values are valid input', () => {
  const cases = [
    ['workers.resize', { workerId: '01a20101-a29a', cols: '120', rows: '36' }],
    ['tokens.create', { name: 'nightly', scopes: 'read\nwrite' }],
    ['tasks.move', { taskId: '01a20101-a29a', after: null, expectedVersion: '3' }],
    ['worktrees.create', { repositoryId: '01a20101-a29a', mode: 'custom', branch: 'a/b', useRemote: 'true' }],
    [
      'repositories.update',
      { repositoryId: '01a20101-a29a', setupCommand: null, checkCommand: 'npm test\nnpm run lint' },
    ],
  ] as const;
  for (const [name, given] of cases) {
    const input = inputOf(fieldsOf(formOf(name)), given);
    expect(() => validate(contractOf(name).input, input), name).not.toThrow();
  }
});

test('invalid numbers are sent as text, so that validation reports them', () => {
  const fields = fieldsOf(formOf('workers.resize'));
  expect(inputOf(fields, { cols: 'wide' })).toEqual({ cols: 'wide' });
});

test('the command is quoted for the shell', () => {
  const prompt = `It's "done"; $(rm) \`x\` \\ *\nsecond line`;
  const command = commandOf(formOf('delegations.create'), {
    prompt,
    branch: 'a/b',
    useRemote: true,
    notifyOnCompletion: false,
  });
  const words = execFileSync('sh', [
    '-c',
    `agent_console() { for word; do printf '%s\\0' "$word"; done; }; ${command?.replace('npx agent-console', 'agent_console')}`,
  ]);
  expect(words.toString().split('\0').slice(0, -1)).toEqual([
    'delegate',
    '--branch',
    'a/b',
    '--use-remote',
    '--no-notify-on-completion',
    prompt,
  ]);
});

test('a value that looks like an option is passed after --', () => {
  expect(commandOf(formOf('sessions.prompt'), { sessionId: '01a20101', prompt: '-x' })).toBe(
    'npx agent-console sessions prompt -- 01a20101 -x',
  );
});
