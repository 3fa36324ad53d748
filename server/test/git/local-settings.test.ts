import { execFile } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { overridesOf, parseConfiguration } from '../../src/git/local-settings.ts';
import type { Checkout } from '../../src/ports/checkout.ts';
import { createFixture, type Fixture, failure } from './fixture.ts';

let fixture: Fixture;
let main: Checkout;
const servers: Server[] = [];

beforeEach(() => {
  fixture = createFixture();
  main = fixture.checkout(fixture.repository);
  for (const [name, line] of [
    ['attack.sh', 'exec cat'],
    ['failing.sh', 'exit 1'],
  ] as const) {
    writeFileSync(fixture.path(name), `#!/bin/sh\n: > '${fixture.path('canary')}'\n${line}\n`);
    chmodSync(fixture.path(name), 0o755);
  }
  fixture.write('.gitattributes', '*.x filter=x diff=x merge=x\n');
  fixture.write('one.x', 'one\n');
  fixture.commit('With attributes');
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  fixture.remove();
});

const program = () => fixture.path('attack.sh');
/**
 * A script that creates the file `canary`, as `program` does, and then fails. It is used for settings whose program has
 * to reply to git: git would wait for a reply of `program`.
 */
const failing = () => fixture.path('failing.sh');
const ran = () => existsSync(fixture.path('canary'));
const plant = (text: string) => appendFileSync(path.join(fixture.repository, '.git/config'), `${text}\n`);
const filter = () => `[filter "x"]\n\tclean = ${program()}\n\tsmudge = ${program()}`;
const add = (name: string) =>
  fixture.git.addWorktree(fixture.checkout(fixture.path('trees', name), name), { startPoint: 'main' });

/** Creates a bare clone of the repository as the remote `origin`. Returns its path. */
function origin(): string {
  const bare = fixture.path('origin.git');
  fixture.sh(['clone', '--quiet', '--bare', fixture.repository, bare], fixture.root);
  fixture.sh(['remote', 'add', 'origin', bare]);
  return bare;
}

async function serveUnauthorized(): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Runs all operations of the console that may read files of a repository. */
async function everything(): Promise<void> {
  const { git, repository, row } = fixture;
  fixture.write('one.x', 'two\n');
  fixture.write('new.x', 'new\n');
  await git.inspect(repository);
  await git.state(main);
  await git.diff(main, 'main');
  await git.removalRisk(main);
  await git.saveRecovery(main, 'main');
  await git.branches(row);
  await git.listWorktrees(row);
  await git.files(main, { under: '', query: '', untracked: true, limit: 10, skip: 0 });
}

/**
 * An attack: a setting to plant, the console's operation that could use the setting, and a plain git command that uses
 * it.
 */
interface Vector {
  plant: () => void | Promise<void>;
  console: () => Promise<unknown>;
  plain: string[];
}

const fetchMain = () => fixture.git.resolveBase(fixture.row, 'main', true);

const vectors: Record<string, Vector> = {
  'a clean filter': {
    plant: () => plant(filter()),
    console: everything,
    plain: ['diff'],
  },
  'a filter process': {
    plant: () => plant(`[filter "x"]\n\tprocess = ${program()}`),
    console: everything,
    plain: ['diff'],
  },
  'a filter in an included file': {
    plant() {
      plant('[include]\n\tpath = ../more');
      fixture.write('more', filter());
    },
    console: everything,
    plain: ['diff'],
  },
  'a filter of this checkout alone': {
    plant() {
      fixture.sh(['config', 'extensions.worktreeConfig', 'true']);
      writeFileSync(path.join(fixture.repository, '.git/config.worktree'), filter());
    },
    console: everything,
    plain: ['diff'],
  },
  'a smudge filter': {
    plant: () => plant(filter()),
    console: () => add('one').catch(() => {}),
    plain: ['worktree', 'add', '../plain'],
  },
  'an external diff, a text conversion and a signature program': {
    plant() {
      plant(`[diff]\n\texternal = ${program()}\n[diff "x"]\n\ttextconv = ${program()}\n\tcommand = ${program()}`);
      plant(`[gpg]\n\tprogram = ${program()}\n[commit]\n\tgpgSign = true\n[log]\n\tshowSignature = true`);
    },
    console: everything,
    plain: ['diff'],
  },
  'hooks and a file system monitor': {
    plant() {
      plant(`[core]\n\tfsmonitor = ${program()}\n\thooksPath = ${fixture.path('hooks')}`);
      mkdirSync(fixture.path('hooks'));
      writeFileSync(fixture.path('hooks/post-checkout'), readFileSync(program()), { mode: 0o755 });
    },
    async console() {
      await everything();
      await add('one');
    },
    plain: ['status'],
  },
  'an ssh command': {
    plant: () => plant(`[core]\n\tsshCommand = ${failing()}\n[remote "origin"]\n\turl = ssh://127.0.0.1:1/x`),
    console: fetchMain,
    plain: ['fetch', 'origin'],
  },
  'a proxy for git://': {
    plant: () => plant(`[core]\n\tgitProxy = ${failing()}\n[remote "origin"]\n\turl = git://127.0.0.1:1/x`),
    console: fetchMain,
    plain: ['fetch', 'origin'],
  },
  'a program at the other end': {
    plant() {
      origin();
      plant(`[remote "origin"]\n\tuploadpack = ${failing()}`);
    },
    console: fetchMain,
    plain: ['fetch', 'origin'],
  },
  'a credential helper': {
    async plant() {
      plant(`[credential]\n\thelper = ${failing()}\n[remote "origin"]\n\turl = ${await serveUnauthorized()}/x`);
    },
    console: fetchMain,
    plain: ['fetch', 'origin'],
  },
  'a credential helper of one address': {
    async plant() {
      const url = await serveUnauthorized();
      plant(`[credential "${url}"]\n\thelper = ${failing()}\n[remote "origin"]\n\turl = ${url}/x`);
    },
    console: fetchMain,
    plain: ['fetch', 'origin'],
  },
  'a program that asks for passwords': {
    async plant() {
      plant(`[core]\n\taskPass = ${failing()}\n[remote "origin"]\n\turl = ${await serveUnauthorized()}/x`);
    },
    console: fetchMain,
    plain: ['fetch', 'origin'],
  },
  'objects that are fetched when they are needed': {
    plant() {
      const bare = origin();
      fixture.sh(['config', 'uploadpack.allowFilter', 'true'], bare);
      const blob = fixture.sh(['rev-parse', 'HEAD:one.x']);
      rmSync(path.join(fixture.repository, '.git/objects', blob.slice(0, 2), blob.slice(2)));
      plant('[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tpartialClone = origin');
      plant(`[remote "origin"]\n\tpromisor = true\n\tuploadpack = ${failing()}`);
    },
    // The operations fail, because they need an object that is missing, and they do not fetch objects.
    console: () => everything().catch(() => {}),
    plain: ['cat-file', '-p', 'HEAD:one.x'],
  },
};

describe.each(Object.entries(vectors))('%s that only the repository names', (_name, vector) => {
  it('is not started', async () => {
    await vector.plant();
    await vector.console();
    expect(ran()).toBe(false);
    fixture.write('one.x', 'two\n');
    // Plain git may fail, but must run the planted program. This proves that the attack works.
    const options = { cwd: fixture.repository, env: { ...fixture.env, GIT_TERMINAL_PROMPT: '0' } };
    await new Promise((resolve) => execFile('git', vector.plain, options, resolve).stdin?.end());
    expect(ran()).toBe(true);
  });
});

describe('filters', () => {
  const upper = ['filter.x.clean', 'tr A-Z a-z', 'filter.x.smudge', 'tr a-z A-Z', 'filter.x.required', 'true'];
  const set = (...scope: string[]) => {
    for (let at = 0; at < upper.length; at += 2) fixture.sh(['config', ...scope, upper[at] ?? '', upper[at + 1] ?? '']);
  };
  const written = (name: string) => readFileSync(fixture.path('trees', name, 'one.x'), 'utf8');

  it('of the user run, whatever the repository configures', async () => {
    set('--global');
    await add('one');
    expect(written('one')).toBe('ONE\n');
    plant(`${filter()}\n\trequired = false\n\tprocess = ${program()}`);
    set();
    plant(filter());
    await fixture.git.state(main);
    expect(ran()).toBe(false);
    fixture.sh(['config', '--unset-all', 'filter.x.process']);
    await add('two');
    expect(written('two')).toBe('ONE\n');
    expect(ran()).toBe(false);
  });

  it('of the user run if the repository repeats them, as with Git LFS', async () => {
    set('--global');
    set();
    await add('one');
    expect(written('one')).toBe('ONE\n');
    expect(await fixture.git.state(fixture.checkout(fixture.path('trees/one')))).toMatchObject({ hasChanges: false });
  });

  it('of the repository alone do not run: no wrong file is written, and the error says what to do', async () => {
    set();
    const error = await failure(add('one'));
    expect(error.code).toBe('GIT_FAILED');
    expect(error.message).toMatch(/filter x.*git config --get-regexp.*git config --global.*git lfs install/);
    expect(existsSync(fixture.path('trees/one'))).toBe(false);
    set('--global');
    await add('one');
    expect(written('one')).toBe('ONE\n');
  });

  it('of the repository alone do not prevent reading it, nor using it without such files', async () => {
    set();
    await everything();
    fixture.sh(['rm', '--quiet', '-f', 'one.x']);
    rmSync(path.join(fixture.repository, 'new.x'));
    fixture.commit('Without such files');
    await add('one');
  });
});

it('a failed fetch lists the settings that were not used, and how to enable them', async () => {
  plant(`[core]\n\tsshCommand = ${failing()}\n[remote "origin"]\n\turl = ssh://127.0.0.1:1/x`);
  const { warning } = await fetchMain();
  expect(warning).toMatch(/core\.sshcommand.*git config --global/);
  fixture.sh(['config', '--global', 'core.sshCommand', failing()]);
  await fetchMain();
  expect(ran()).toBe(true);
});

it('each local setting is overridden by the value of the user, or else by a value that starts no program', () => {
  const configured = (...lines: [scope: string, key: string, value: string | null][]) =>
    parseConfiguration(
      lines.map(([scope, key, value]) => `${scope}\0${key}${value === null ? '' : `\n${value}`}\0`).join(''),
    );
  const { settings, env, fetchOptions, unused } = overridesOf(
    configured(
      ['global', 'credential.helper', 'store'],
      ['global', 'remote.origin.uploadpack', 'mine'],
      ['global', 'core.askpass', 'mine'],
      ['local', 'core.sshcommand', 'x'],
      ['local', 'core.alternaterefscommand', 'x'],
      ['local', 'core.gitproxy', 'x'],
      ['local', 'remote.origin.uploadpack', 'x'],
      ['local', 'remote.a=b.c.uploadpack', null],
      ['local', 'core.askpass', 'mine'],
      ['local', 'credential.https://h.helper', 'x'],
      ['local', 'hook.a.command', 'x'],
      ['local', 'user.name', 'x'],
    ),
    'read',
  );
  expect(settings).toEqual([
    ['core.sshcommand', 'ssh'],
    ['core.alternaterefscommand', 'true'],
    ['core.askpass', 'mine'],
    ['credential.https://h.helper', ''],
    ['credential.https://h.helper', 'store'],
    ['hook.a.enabled', 'false'],
  ]);
  expect(env).toEqual({ GIT_PROXY_COMMAND: '', GIT_NO_LAZY_FETCH: '1' });
  expect(fetchOptions).toEqual(['--upload-pack=mine']);
  expect(unused).not.toContain('core.askpass');
  expect(unused).toHaveLength(7);
});
