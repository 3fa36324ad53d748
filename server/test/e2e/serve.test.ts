import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ERRORS } from '@agent-console/shared/errors';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const CLI = fileURLToPath(new URL('../../bin/agent-console.js', import.meta.url));

describe('the command line', () => {
  let folder: string;
  let env: Record<string, string>;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'agent-console-serve-')));
    env = { PATH: process.env.PATH ?? '', HOME: folder, AGENT_CONSOLE_HOME: join(folder, 'console'), SHELL: '/bin/sh' };
    for (const args of [
      ['init', '-q', '-b', 'main', 'shop'],
      [
        '-C',
        'shop',
        '-c',
        'user.name=T',
        '-c',
        'user.email=t@example.com',
        'commit',
        '-q',
        '--allow-empty',
        '-m',
        'First',
      ],
    ]) {
      spawnSync('git', args, { cwd: folder, env });
    }
  });
  afterEach(() => {
    run('stop', '--all', '--yes');
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (...args: string[]) =>
    spawnSync(process.execPath, [CLI, ...args], { cwd: folder, env, encoding: 'utf8' });
  const json = (...args: string[]) => JSON.parse(run(...args, '--json').stdout);
  const serverFile = () => JSON.parse(readFileSync(join(folder, 'console/server.json'), 'utf8'));

  /** Starts `serve` in a folder, and waits until it has printed its introduction. */
  async function serve(cwd: string, ...args: string[]): Promise<{ child: ChildProcess; said: () => string }> {
    const child = spawn(process.execPath, [CLI, 'serve', ...args], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    while (!/Try it|No repository/.test(said)) {
      const [chunk] = await once(child.stdout, 'data');
      said += chunk;
    }
    child.stdout.on('data', (chunk) => {
      said += chunk;
    });
    return { child, said: () => said };
  }

  it('serves the repository it is started in, stops at Ctrl-C and leaves agents running', async () => {
    const { child, said } = await serve(join(folder, 'shop'), '--port', '0');
    expect(said()).toMatch(/Dashboard: http:\/\/127\.0\.0\.1:\d+\/#code=/);
    const [repository] = json('repositories', 'list').data;
    expect(repository).toMatchObject({ name: 'shop', path: join(folder, 'shop') });
    const delegated = json('delegate', '@sleep 60000', '--repository-id', repository.id, '--agent-id', 'scripted');
    const { pid } = json('workers', 'get', delegated.workerId);

    child.kill('SIGINT');
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
    expect(said()).toMatch(/1 worker \(agents and terminals\) keeps running/);
    expect(existsSync(`/proc/${pid}`)).toBe(true);
    expect(run('status').status).not.toBe(0);

    const again = await serve(folder, '--port', '0');
    expect(json('workers', 'get', delegated.workerId)).toMatchObject({ pid, state: 'running' });
    const refused = run('stop', '--all');
    expect(refused).toMatchObject({ status: ERRORS.VALIDATION.exit, stdout: '' });
    expect(refused.stderr).toContain('--yes');
    expect(existsSync(`/proc/${pid}`)).toBe(true);
    expect(run('stop', '--all', '--yes').status).toBe(0);
    await once(again.child, 'exit');
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });

  it('keeps running without the command that started it, and the next command attaches to it', async () => {
    const first = await serve(folder, '--port', '0');
    const { pid, port } = serverFile();
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const second = await serve(folder, '--port', '0');
    expect(serverFile()).toMatchObject({ pid, port });
    second.child.kill('SIGTERM');
    await once(second.child, 'exit');
  });

  it('says that a port is in use, and how to choose another', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    const refused = run('serve', '--port', String(port));
    holder.close();
    expect(refused.status).toBe(6);
    expect(refused.stderr).toContain(String(port));
    expect(refused.stderr).toContain('--port');
  });

  it('refuses an address that other machines can reach, unless every caller needs a token', () => {
    const refused = run('serve', '--host', '0.0.0.0', '--port', '0');
    expect(refused.status).toBe(4);
    expect(refused.stderr).toContain('AGENT_CONSOLE_AUTH=token');
  });

  it('checks the machine', () => {
    mkdirSync(join(folder, 'console'), { mode: 0o700 });
    const doctor = run('doctor');
    expect(doctor.stdout).toMatch(/git/);
    expect(doctor.stdout).toMatch(/node/i);
    expect(doctor.status).toBe(0);
  });
});
