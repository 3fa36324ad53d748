import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStorage } from '../support/storage.ts';

/** Values with which libsql aborts the process when a statement binds them. */
const UNBINDABLE: [string, unknown][] = [
  ['a boolean', true],
  ['Object.prototype', Object.prototype],
  ['a plain object', { id: 'x' }],
  ['an object without a prototype', Object.create(null)],
  ['an array', ['x']],
  ['a date', new Date(0)],
  ['a boxed string', Object('x')],
  ['a buffer', Buffer.from('x')],
  ['a function', () => 'x'],
];

describe('the database driver', () => {
  let opened: ReturnType<typeof openStorage>;
  beforeAll(() => {
    opened = openStorage();
  });
  afterAll(() => opened.close());

  it.each(UNBINDABLE)('refuses %s as a value of a statement', (_, value) => {
    const statement = opened.writer.raw.prepare('select ? as value');
    for (const method of ['run', 'get', 'all', 'iterate'] as const) {
      expect(() => statement[method](value)).toThrow(TypeError);
    }
    expect(statement.get('x')).toMatchObject({ value: 'x' });
  });

  it('refuses statements after the database was closed', () => {
    const { writer, close } = openStorage();
    const statement = writer.raw.prepare('select 1 as value');
    close();
    for (const method of ['run', 'get', 'all', 'iterate'] as const) expect(() => statement[method]()).toThrow('closed');
    expect(() => writer.raw.prepare('select 1')).toThrow('closed');
  });

  it.each(UNBINDABLE)('refuses %s as an id of a store', async (_, value) => {
    await expect(opened.storage.read.agents.get(value as string)).rejects.toThrow(TypeError);
    expect(await opened.storage.read.agents.get('x')).toBeUndefined();
  });
});
