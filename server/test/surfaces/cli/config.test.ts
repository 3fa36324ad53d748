import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { homeOf, readConfig } from '../../../src/config.ts';

it('has the documented defaults', () => {
  expect(readConfig({})).toEqual({
    home: join(homedir(), '.agent-console'),
    port: 3457,
    host: null,
    auth: 'peer',
    extraHosts: [],
    isProxied: false,
  });
  expect(homeOf({ AGENT_CONSOLE_HOME: '/data' })).toBe('/data');
});

it('prefers flags to the environment', () => {
  expect(readConfig({ PORT: '4000', HOST: '127.0.0.1' })).toMatchObject({ port: 4000, host: '127.0.0.1' });
  expect(readConfig({ PORT: '4000', HOST: '127.0.0.1' }, { port: '0', host: '::1' })).toMatchObject({
    port: 0,
    host: '::1',
  });
  expect(readConfig({}, { host: 'localhost' }).host).toBeNull();
});

it('allows other addresses and host names only with tokens', () => {
  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.org']) {
    expect(() => readConfig({}, { host }), host).toThrow(/AGENT_CONSOLE_AUTH=token/);
  }
  const env = { AGENT_CONSOLE_AUTH: 'token', AGENT_CONSOLE_HOSTS: 'Console.example, other.example' };
  expect(readConfig(env, { host: '0.0.0.0' })).toMatchObject({
    host: '0.0.0.0',
    auth: 'token',
    extraHosts: ['console.example', 'other.example'],
    isProxied: true,
  });
  const local = { AGENT_CONSOLE_AUTH: 'token', AGENT_CONSOLE_HOSTS: '', HOST: '127.0.0.1' };
  expect(readConfig(local).isProxied).toBe(false);
  expect(readConfig(env, { host: '2001:db8::1' }).extraHosts).toContain('[2001:db8::1]');
  expect(readConfig({ AGENT_CONSOLE_HOSTS: 'console.example' }).extraHosts).toEqual([]);
});

it('refuses invalid values, and Windows', () => {
  for (const port of ['-1', '65536', 'http', '']) expect(() => readConfig({}, { port }), port).toThrow(/not a port/);
  expect(() => readConfig({ AGENT_CONSOLE_AUTH: 'none' })).toThrow(/Set it to "token"/);
  expect(() => readConfig({}, {}, 'win32')).toThrow(/WSL/);
});
