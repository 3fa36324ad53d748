import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAgentPrograms } from '../../src/machine/agent-programs.ts';
import { createHost } from '../../src/machine/host.ts';
import { bootId, sessionMembers, startTimeOf } from '../../src/runner/processes.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-programs-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Creates a program that records the arguments of each call and runs this script. */
async function program(name: string, script: string): Promise<void> {
  await mkdir(join(folder, 'bin'), { recursive: true });
  await writeFile(join(folder, 'bin', name), `#!/bin/sh\necho "$*" >>'${folder}/asked'\n${script}\n`);
  await chmod(join(folder, 'bin', name), 0o755);
}

async function put(name: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, 'home', name)), { recursive: true });
  await writeFile(join(folder, 'home', name), text);
}

function programs(more: Record<string, string> = {}, answerMs?: number) {
  const PATH = `${join(folder, 'bin')}:${process.env.PATH ?? ''}`;
  const environment = { PATH, HOME: join(folder, 'home'), ...more };
  const processes = { startTimeOf, sessionMembers, bootId };
  const host = createHost({ home: folder, port: 1, environment, processes });
  return createAgentPrograms({ host, environment, answerMs });
}

const asked = async () => (await readFile(join(folder, 'asked'), 'utf8')).trim().split('\n').sort();
const SPEAKS = 'case "$*" in *--version) echo "tool-cli 1.20.3 (x)";; *) echo "Usage: --no-daemon";; esac';

describe('probing a program', () => {
  it('reads version and help once, until the file changes', async () => {
    await program('tool', SPEAKS);
    const here = programs();
    const said = { version: '1.20.3', help: 'Usage: --no-daemon\n' };
    expect(await Promise.all([here.learn(['tool']), here.learn(['tool'])])).toEqual([said, said]);
    expect(await here.learn(['tool'])).toEqual(said);
    expect(here.known(['tool'])).toEqual(said);
    expect(await asked()).toEqual(['--help', '--version']);
    await program('tool', SPEAKS.replace('1.20.3', '1.21.0-beta.1'));
    expect((await here.learn(['tool'])).version).toBe('1.21.0-beta.1');
  });

  it('tries again after the program was killed, for example because it took too long', async () => {
    await mkdir(join(folder, 'home'));
    await program('tool', `[ -e '${join(folder, 'healthy')}' ] || kill -KILL $$\n${SPEAKS}`);
    const here = programs();
    expect(await here.learn(['tool'])).toEqual({ version: null, help: null });
    await writeFile(join(folder, 'healthy'), '');
    expect(await here.learn(['tool'])).toEqual({ version: '1.20.3', help: 'Usage: --no-daemon\n' });
  });

  it('does not wait at each start for a program that never answers', async () => {
    await mkdir(join(folder, 'home'));
    await program('tool', 'exec sleep 600');
    const here = programs({}, 300);
    expect(await here.learn(['tool'])).toEqual({ version: null, help: null });
    const before = await asked();
    expect(await here.learn(['tool'])).toEqual({ version: null, help: null });
    expect(await asked()).toEqual(before);
  });

  it('tries again after the temporary folder could not be created, for example on a full disk', async () => {
    await program('tool', SPEAKS);
    const { TMPDIR } = process.env;
    const here = programs();
    process.env.TMPDIR = join(folder, 'missing');
    try {
      expect(await here.learn(['tool'])).toEqual({ version: null, help: null });
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    }
    expect((await here.learn(['tool'])).version).toBe('1.20.3');
  });

  it('runs the whole command, without a shell', async () => {
    await program('tool', SPEAKS);
    await programs().learn(['tool', 'sub command', '$(id)']);
    expect(await asked()).toEqual(['sub command $(id) --help', 'sub command $(id) --version']);
  });

  it('leaves nothing in the HOME of the user', async () => {
    await mkdir(join(folder, 'home'));
    await program('tool', `touch "$HOME/litter"; ${SPEAKS}`);
    await programs().learn(['tool']);
    await expect(stat(join(folder, 'home', 'litter'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('retries with the real HOME if the program is found only from there', async () => {
    await mkdir(join(folder, 'home'));
    await program('tool', `[ "$HOME" = '${join(folder, 'home')}' ] || exit 1; ${SPEAKS}`);
    expect((await programs().learn(['tool'])).version).toBe('1.20.3');
  });

  it('passes no secret of the server', async () => {
    await program('tool', 'env >&2; echo "1.0.0 $SECRET_KEY"');
    expect((await programs({ SECRET_KEY: 'sk-1' }).learn(['tool'])).help).toBe('1.0.0 \n');
  });

  it.each([
    ['fails', 'exit 3'],
    ['says nothing', 'exit 0'],
    ['is not there', null],
  ])('returns nothing for a program that %s', async (_, script) => {
    await mkdir(join(folder, 'home'));
    if (script !== null) await program('tool', script);
    const here = programs();
    expect(await here.learn(['tool'])).toEqual({ version: null, help: null });
    expect(here.known(['tool'])).toEqual({ version: null, help: null });
    expect(await here.learn([])).toEqual({ version: null, help: null });
  });
});

describe('login detection', () => {
  const signs = {
    variables: ['TOOL_KEY'],
    files: [
      { path: '.tool/auth.json', keys: [] },
      { path: '.tool.json', keys: ['account'] },
    ],
    trace: '.tool',
  };

  it('accepts a variable, a file, or a key in a file', async () => {
    expect(await programs({ TOOL_KEY: 'x' }).loggedIn(signs)).toBe('yes');
    await put('.tool.json', '{"account": {}}');
    expect(await programs().loggedIn(signs)).toBe('yes');
    await put('.tool.json', '{"other": 1}');
    await put('.tool/auth.json', '{"token": 1}');
    expect(await programs().loggedIn(signs)).toBe('yes');
  });

  it('returns no for a program that was never used here, and unknown if that cannot be determined', async () => {
    expect(await programs({ TOOL_KEY: '' }).loggedIn(signs)).toBe('no');
    await put('.tool/auth.json', '');
    await put('.tool.json', '{"broken');
    expect(await programs().loggedIn(signs)).toBe('unknown');
  });

  it('reads files from the folder that a variable such as CODEX_HOME names', async () => {
    const codex = { variables: [], files: [{ path: '.codex/auth.json', keys: [] }], trace: '.codex/' };
    await put('moved/auth.json', '{}');
    expect(await programs({ CODEX_HOME: join(folder, 'home/moved') }).loggedIn(codex)).toBe('yes');
  });
});
