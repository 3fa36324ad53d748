import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRegistryEntry } from '../../src/operations/registry-entry.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';

const entry = (distribution: object, id = 'goose') => ({ id, name: 'Goose', version: '1.0.0', distribution });
const linux = { platform: 'linux', arch: 'x64' } as NodeJS.Process;

describe('an entry of the registry', () => {
  it.each([
    [{ npx: { package: 'my-agent@1.2.0', args: ['--acp'] } }, 'acp', ['npx', '-y', 'my-agent@1.2.0', '--acp']],
    [
      { npx: { package: '@agentclientprotocol/claude-agent-acp@0.101.0' } },
      'claude-acp',
      ['npx', '-y', '@agentclientprotocol/claude-agent-acp@0.101.0'],
    ],
    [
      { npx: { package: '@google/gemini-cli@0.61.0', args: ['--acp'] } },
      'gemini-acp',
      ['npx', '-y', '@google/gemini-cli@0.61.0', '--acp'],
    ],
    [{ npx: { package: 'my-agent', env: { A: '1 2' } } }, 'acp', ['env', 'A=1 2', 'npx', '-y', 'my-agent']],
    [{ uvx: { package: 'my-agent==1.0', args: ['acp'] } }, 'acp', ['uvx', 'my-agent==1.0', 'acp']],
    [
      { binary: { 'linux-x86_64': { archive: 'https://example.invalid/a.tgz', cmd: './bin/goose', args: ['acp'] } } },
      'acp',
      ['goose', 'acp'],
    ],
  ])('%j is run as a %s agent', (distribution, kind, command) => {
    expect(readRegistryEntry(entry(distribution), linux)).toMatchObject({ id: 'goose', name: 'Goose', kind, command });
  });

  it.each([
    ['text', /one whole entry/],
    [{ agents: [] }, /id is missing\. .*one whole entry/],
    [entry({ npx: {} }), /distribution\.npx\.package/],
    [entry({ npx: { package: '--registry=http://x' } }), /distribution\.npx\.package/],
    [
      entry({ binary: { 'darwin-aarch64': { cmd: './goose' } } }),
      /no program for linux-x86_64, only for darwin-aarch64/,
    ],
    [entry({}), /neither npx, uvx nor binary/],
    [entry({ npx: { package: 'x' } }, 'Not an id'), /lower-case/],
  ])('%j is refused with advice', (value, message) => {
    expect(() => readRegistryEntry(value, linux)).toThrow(message);
  });
});

describe('agents.create', () => {
  let c: InProcessApp;
  beforeAll(async () => {
    c = await startTestApp({});
  });
  afterAll(() => c.close());

  it('accepts an entry, whose id and name can be overridden, and downloads nothing', async () => {
    const registryEntry = entry({ npx: { package: 'my-agent@1.0.0', args: ['--acp'] } });
    const made = await c.client.call('agents.create', { registryEntry });
    expect(made).toMatchObject({
      id: 'goose',
      name: 'Goose',
      kind: 'acp',
      driver: 'acp',
      version: null,
      loggedIn: 'unknown',
    });
    const other = await c.client.call('agents.create', { registryEntry, id: 'goose-two', name: 'Second' });
    expect(other).toMatchObject({ id: 'goose-two', name: 'Second', command: made.command });
    expect(await refusal(c.client.call('agents.create', { registryEntry }))).toMatchObject({ code: 'CONFLICT' });
    expect(await refusal(c.client.call('agents.create', { id: 'half' }))).toMatchObject({ code: 'VALIDATION' });
  });

  it('explains what an entry is if the value is not an entry', async () => {
    const call = c.client.call('agents.create', { registryEntry: 'npx goose' as never });
    expect(await refusal(call)).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringMatching(
        /one whole entry of the registry, as a JSON object with id, name and distribution/,
      ),
    });
  });

  it('requires that the program of an entry with archives is installed', async () => {
    const path = join(c.folder, 'my-goose');
    const systems = ['linux-x86_64', 'linux-aarch64', 'darwin-aarch64', 'darwin-x86_64'];
    const binary = Object.fromEntries(systems.map((each) => [each, { archive: 'x', cmd: './no-such-goose' }]));
    const call = { registryEntry: entry({ binary }, 'flying') };
    expect(await refusal(c.client.call('agents.create', call))).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('Install "no-such-goose" so that it is on PATH'),
    });
    writeFileSync(path, '', { mode: 0o755 });
    expect(await c.client.call('agents.create', { ...call, command: [path] })).toMatchObject({ installed: true });
  });
});
