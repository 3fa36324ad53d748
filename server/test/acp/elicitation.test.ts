import { FORM_FIELDS_MAX } from '@agent-console/shared/limits/approvals';
import type { FormField, FormValue } from '@agent-console/shared/models/approval';
import { describe, expect, it } from 'vitest';
import { readLine } from '../../src/acp/incoming.ts';
import { checkedValues } from '../../src/engine/approvals/form-values.ts';

const request = (params: object) =>
  readLine(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'elicitation/create', params }), 's');
const formOf = (properties: object, required: string[] = []) =>
  request({
    sessionId: 's',
    mode: 'form',
    message: 'Fill in',
    requestedSchema: { type: 'object', properties, required },
  });

function fieldsOf(properties: object, required: string[] = []): FormField[] {
  const event = formOf(properties, required);
  if (event.type !== 'form') throw new Error(JSON.stringify(event));
  return event.fields;
}

describe('a request to a person', () => {
  it('has a field for each property, with its bounds and choices', () => {
    const fields = fieldsOf(
      {
        name: { type: 'string', title: 'Name', description: 'Of the branch', minLength: 2, maxLength: 9, default: 'x' },
        mail: { type: 'string', format: 'email' },
        count: { type: 'integer', minimum: 1, maximum: 3, default: 2 },
        ratio: { type: 'number' },
        force: { type: 'boolean', default: true },
        color: { type: 'string', enum: ['red', 'blue'], default: 'green' },
        size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }] },
        parts: { type: 'array', minItems: 1, items: { anyOf: [{ const: 'a', title: 'A' }] }, default: ['a', 'z'] },
        tags: { type: 'array', items: { type: 'string', enum: ['t'] } },
        later: { type: 'hologram' },
      },
      ['name'],
    );
    const shown = fields.map(({ id, type, required, default: initial, min, max, choices }) => {
      return [id, type, required, initial, min, max, choices.map(({ label }) => label).join()];
    });
    expect(shown).toEqual([
      ['name', 'text', true, 'x', 2, 9, ''],
      ['mail', 'text', false, null, null, null, ''],
      ['count', 'integer', false, 2, 1, 3, ''],
      ['ratio', 'number', false, null, null, null, ''],
      ['force', 'boolean', false, true, null, null, ''],
      ['color', 'choice', false, null, null, null, 'red,blue'],
      ['size', 'choice', false, null, null, null, 'Small'],
      ['parts', 'choices', false, ['a'], 1, null, 'A'],
      ['tags', 'choices', false, null, null, null, 't'],
    ]);
    expect(fields[0]).toMatchObject({ title: 'Name', description: 'Of the branch' });
    expect(fields[1]).toMatchObject({ title: 'mail', format: 'email' });
  });

  it.each([
    { password: { type: 'string' } },
    { x: { type: 'string', title: 'API key' } },
    { x: { type: 'string', format: 'password' } },
    { x: { type: 'string', writeOnly: true, default: 'never shown' } },
  ])('hides what looks like a secret: %j', (properties) => {
    expect(fieldsOf(properties)).toMatchObject([{ secret: true, default: null }]);
  });

  it.each([
    ['a required field of an unknown type', { x: { type: 'hologram' } }],
    [
      'too many fields',
      Object.fromEntries(Array.from({ length: FORM_FIELDS_MAX + 1 }, (_, at) => [`x${at}`, { type: 'boolean' }])),
    ],
  ])('is refused if it has %s', (_, properties) => {
    expect(formOf(properties, ['x'])).toMatchObject({ type: 'request', params: { invalid: expect.any(String) } });
  });

  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'not an address', `https://example.com/${'x'.repeat(9_000)}`])(
    'is refused if it asks to open %.30s',
    (url) => {
      const params = { sessionId: 's', mode: 'url', message: 'Open', url, elicitationId: 'e' };
      expect(request(params)).toMatchObject({ type: 'request' });
    },
  );

  it('may belong to no session, but not to another one', () => {
    const link = { mode: 'url', message: 'Open', url: 'https://example.com/', elicitationId: 'e' };
    expect(request({ ...link, requestId: 'authenticate:1' })).toMatchObject({ type: 'link', linkId: 'e' });
    expect(request({ ...link, sessionId: 'other' })).toMatchObject({ type: 'request' });
    expect(request({ ...link, mode: 'smell' })).toMatchObject({ type: 'request' });
  });
});

describe('values of a form', () => {
  function refused(fields: FormField[], values: Record<string, FormValue>): unknown {
    try {
      return checkedValues(fields, values);
    } catch (error) {
      return error;
    }
  }
  const check = (property: object, value: unknown, required = false) =>
    refused(fieldsOf({ x: property }, required ? ['x'] : []), { x: value as FormValue });

  it.each<[string, object, unknown, RegExp]>([
    ['a text for a number', { type: 'number' }, '3', /must be a number/],
    ['a fraction', { type: 'integer' }, 1.5, /whole number/],
    ['a small number', { type: 'number', minimum: 2 }, 1, /at least 2/],
    ['a great number', { type: 'number', maximum: 2 }, 3, /at most 2/],
    ['a word for a switch', { type: 'boolean' }, 'yes', /true or false/],
    ['a short text', { type: 'string', minLength: 3 }, 'ab', /at least 3 characters/],
    ['a long text', { type: 'string' }, 'x'.repeat(10_001), /at most 10000 characters/],
    ['no address', { type: 'string', format: 'email' }, 'me', /e-mail address/],
    ['no link', { type: 'string', format: 'uri' }, 'here', /https:/],
    ['no day', { type: 'string', format: 'date' }, '2026-02-30', /2026-01-31/],
    ['no time', { type: 'string', format: 'date-time' }, '2026-01-31 12:00', /T12:00/],
    ['another pattern', { type: 'string', pattern: '^a+$' }, 'b', /must match \^a\+\$/],
    ['no choice', { type: 'string', enum: ['a', 'b'] }, 'c', /one of a, b/],
    ['a text for a list', { type: 'array', items: { enum: ['a'] } }, 'a', /must be a list/],
    ['no choices', { type: 'array', items: { enum: ['a'] } }, ['b'], /only a/],
    ['a choice twice', { type: 'array', items: { enum: ['a'] } }, ['a', 'a'], /twice/],
    ['too few choices', { type: 'array', minItems: 2, items: { enum: ['a', 'b'] } }, ['a'], /at least 2 values/],
  ])('are refused with the reason: %s', (_, property, value, message) => {
    const error = check(property, value);
    expect(error).toMatchObject({ code: 'VALIDATION', message: expect.stringMatching(message) });
    expect(error).toMatchObject({ details: { issues: [{ path: 'values.x' }] } });
  });

  it('are refused if they are missing or belong to no field', () => {
    expect(check({ type: 'string' }, '', true)).toMatchObject({ message: 'values.x: enter a value' });
    const none = check({ type: 'array', items: { enum: ['a'] } }, [], true);
    expect(none).toMatchObject({ message: 'values.x: choose a value' });
    const unknown = refused(fieldsOf({ x: { type: 'string' } }), { y: 'z' });
    expect(unknown).toMatchObject({ message: expect.stringContaining('values.y: is not a field') });
  });

  it('are left for the agent to check if its pattern takes too long', () => {
    const x = `${'a'.repeat(50)}!`;
    expect(checkedValues(fieldsOf({ x: { type: 'string', pattern: '^(a+)+$' } }), { x })).toEqual({ x });
  });

  it('are accepted unchanged, with defaults for the other fields', () => {
    const fields = fieldsOf({
      text: { type: 'string', pattern: '(', format: 'unknown' },
      day: { type: 'string', format: 'date' },
      at: { type: 'string', format: 'date-time' },
      mail: { type: 'string', format: 'email', default: 'me@example.com' },
      none: { type: 'string', minLength: 5 },
      off: { type: 'boolean' },
    });
    const given = { text: 'any', day: '2024-02-29', at: '2026-01-31T12:00:00.5+01:00', none: '', off: false };
    const { none: _, ...sent } = given;
    expect(checkedValues(fields, given)).toEqual({ ...sent, mail: 'me@example.com' });
  });
});
