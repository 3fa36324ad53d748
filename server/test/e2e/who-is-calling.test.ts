import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Worktree } from '@agent-console/shared/models/worktree';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createClient } from '../../src/surfaces/cli/client.ts';
import { tokenOf } from '../support/calling.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { DEFAULT_TOOLS } from '../support/tool-names.ts';
import { ERAS } from './support/mcp.ts';
import { buildPlainClient, fileOf, runOutside, type Seen } from './support/plain-client.ts';
import { type AgentHandle, startRoot } from './support/root.ts';

/** Variables in the environment of the server. They may reach only an agent whose definition names them. */
const SECRETS = {
  CANARY_SECRET: 'canary-of-the-server',
  ANTHROPIC_API_KEY: 'canary-of-another-agent',
  NAMED_KEY: 'named',
};

const environmentOf = (text: string) =>
  Object.fromEntries(
    text
      .split(/[\0\n]/)
      .filter((line) => line.includes('='))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

const withoutTools = (seen: Seen) => {
  expect(seen.tools).toEqual([]);
  expect(seen.instructions).toMatch(/offers (it )?no tools/);
  expect(seen.failed).toBe(true);
  expect(seen.delegated).toMatch(/^UNAUTHENTICATED: .*offers (it )?no tools/);
};

describe.runIf(process.platform === 'linux')('who is calling', () => {
  let c: TestConsole;
  let root: AgentHandle;
  /** Id of the worker that runs a shell in the root agent's session. */
  let terminal: string;
  let program: string;
  let files = 0;

  const newFile = () => {
    files += 1;
    return join(c.folder, `seen-${files}`);
  };
  const type = (line: string, workerId = terminal) => c.client.call('workers.input', { workerId, data: `${line}\r` });
  const seen = async (file: string) => JSON.parse(await fileOf(c, file)) as Seen;
  const node = (era: string, file: string) => `${process.execPath} ${program} ${era} $AGENT_CONSOLE_MCP_URL ${file}`;
  /** Runs a shell line in a terminal and returns what it wrote to the file `$OUT`. */
  const output = async (line: string, workerId = terminal) => {
    const file = newFile();
    await type(`OUT=${file}.new; ${line}; mv ${file}.new ${file}`, workerId);
    return fileOf(c, file);
  };
  const childrenOf = async (sessionId: string) =>
    (await c.client.call('sessions.get', { sessionId })).genealogy.children;

  beforeAll(async () => {
    c = await startConsole({ env: SECRETS });
    await c.client.call('settings.update', { delegationChildren: 100 });
    root = await startRoot(c);
    terminal = (await c.client.call('workers.create', { sessionId: root.sessionId, type: 'terminal' })).id;
    program = await buildPlainClient(c.folder);
  });
  afterAll(() => c.close());

  it.each(Object.keys(ERAS))('a plain %s client inside a terminal is identified as that worker', async (era) => {
    const before = await childrenOf(root.sessionId);
    const file = newFile();
    await type(node(era, file));
    const { tools, instructions, delegated, failed } = await seen(file);
    expect(tools).toHaveLength(DEFAULT_TOOLS.length);
    expect(instructions).toContain(root.sessionId);
    expect(failed).toBe(false);
    const { sessionId } = JSON.parse(delegated) as { sessionId: string };
    const child = await c.client.call('sessions.get', { sessionId });
    expect(child).toMatchObject({ createdBySessionId: root.sessionId, repositoryId: c.repository.id });
    expect(await childrenOf(root.sessionId)).toEqual([...before, sessionId]);
  });

  it.each(Object.keys(ERAS))('the same %s client outside gets no tools and is told why', async (era) => {
    const file = newFile();
    await runOutside(process.execPath, [program, era, `${c.baseUrl}/mcp`, file]);
    withoutTools(await seen(file));
  });

  it('a process of the worker in a Unix session of its own is still identified as that worker', async () => {
    const file = newFile();
    await type(`setsid -w ${node('modern', file)}`);
    expect((await seen(file)).tools).toHaveLength(DEFAULT_TOOLS.length);
  });

  it('a process that left the process tree of the worker is neither the worker nor the owner', async () => {
    const before = await childrenOf(root.sessionId);
    const direct = newFile();
    await type(`setsid -f ${node('modern', direct)}`);
    withoutTools(await seen(direct));
    const orphan = newFile();
    await type(`setsid sh -c '(sleep 0.2; ${node('legacy', orphan)}) &'`);
    withoutTools(await seen(orphan));
    const rest = newFile();
    const curl = `curl -s -o ${rest}.new $AGENT_CONSOLE_BASE_URL/api/settings; mv ${rest}.new ${rest}`;
    await type(`setsid sh -c '(sleep 0.2; ${curl}) &'`);
    expect(JSON.parse(await fileOf(c, rest)).error.code).toBe('UNAUTHENTICATED');
    expect(await childrenOf(root.sessionId)).toEqual(before);
  });

  it.each([
    ['that carries the name of the worker', '{...process.env}'],
    ['with an empty environment', '{}'],
  ])('the WebSocket of a worker is closed with it, even if held open by a process %s', async (_name, environment) => {
    const created = { sessionId: root.sessionId, type: 'terminal' } as const;
    const { id: workerId } = await c.client.call('workers.create', created);
    const opened = newFile();
    const ended = newFile();
    const program = join(c.folder, `holder-${files}.cjs`);
    writeFileSync(
      program,
      `const fs = require('node:fs');
      const tell = (file, text) => { fs.writeFileSync(file + '.new', text); fs.renameSync(file + '.new', file); };
      if (process.argv[2] === 'hold') {
        const socket = new (require('node:net').Socket)({ fd: 3 });
        let received = '';
        socket.on('error', () => {}).on('data', (data) => { received += data.toString('latin1'); });
        socket.on('close', () => tell('${ended}', received));
        tell('${opened}', String(process.pid));
        setInterval(() => {}, 1_000_000);
      } else {
        const socket = require('node:net').connect(${c.port}, '127.0.0.1');
        socket.write(${JSON.stringify(
          [
            'GET /ws/app HTTP/1.1',
            `Host: 127.0.0.1:${c.port}`,
            'Connection: Upgrade',
            'Upgrade: websocket',
            'Sec-WebSocket-Version: 13',
            'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
            '\r\n',
          ].join('\r\n'),
        )});
        socket.once('data', (head) => {
          if (!head.toString('latin1').startsWith('HTTP/1.1 101')) throw new Error(head.toString());
          socket.pause();
          const options = { stdio: ['ignore', 'ignore', 'ignore', socket], detached: true, env: ${environment} };
          require('node:child_process').spawn(process.execPath, [__filename, 'hold'], options).unref();
        });
        setInterval(() => {}, 1_000_000);
      }`,
    );
    await type(`${process.execPath} ${program}`, workerId);
    const holder = Number(await fileOf(c, opened));
    await c.client.call('workers.remove', { workerId });
    try {
      expect(await fileOf(c, ended)).toContain('UNAUTHENTICATED');
    } finally {
      process.kill(holder, 'SIGKILL');
    }
  });

  it('curl is enough to delegate from inside a worker, with the permissions of the worker', async () => {
    const body = '{"prompt":"@report succeeded by curl","title":"By curl"}';
    const answer = await output(
      `curl -s -H 'Content-Type: application/json' -d '${body}' $AGENT_CONSOLE_BASE_URL/api/delegations > $OUT`,
    );
    const made = JSON.parse(answer) as { sessionId: string; worktreePath: string; state: string };
    expect(made.state).toBe('prompting');
    expect(existsSync(join(made.worktreePath, 'readme.md'))).toBe(true);
    const child = await c.client.call('sessions.get', { sessionId: made.sessionId });
    expect(child).toMatchObject({ title: 'By curl', createdBySessionId: root.sessionId });
    const refused = await output(
      'curl -s -X PATCH -H "Content-Type: application/json" -d "{\\"delegationDepth\\":9}" $AGENT_CONSOLE_BASE_URL/api/settings > $OUT',
    );
    expect(JSON.parse(refused).error.code).toBe('PERMISSION_DENIED');
  });

  it('curl is enough to create a worktree with a session from inside a worker', async () => {
    const body =
      '{"mode":"custom","branch":"by-curl","prompt":"@report succeeded","autoStartSession":true,"wait":true}';
    const answer = await output(
      `curl -s -H 'Content-Type: application/json' -d '${body}' $AGENT_CONSOLE_BASE_URL/api/repositories/$AGENT_CONSOLE_REPOSITORY_ID/worktrees > $OUT`,
    );
    const { worktree } = JSON.parse(answer) as { worktree: Worktree };
    expect(worktree).toMatchObject({ repositoryId: c.repository.id, branch: 'by-curl', state: 'ready' });
    expect(existsSync(join(worktree.path, 'readme.md'))).toBe(true);
    const { data } = await c.client.call('sessions.list', { worktreeId: worktree.id });
    expect(data).toMatchObject([{ createdBySessionId: root.sessionId }]);
  });

  it('requests of a saved setup command are not identified', async () => {
    const file = join(c.folder, 'setup-seen');
    const setupCommand = `curl -s -o ${file} ${c.baseUrl}/api/settings; cp ${file} ${file}-done`;
    const repository = await c.addRepository('with-setup');
    await c.client.call('repositories.update', { repositoryId: repository.id, setupCommand });
    const made = await c.client.call('delegations.create', {
      repositoryId: repository.id,
      agentId: 'scripted',
      prompt: '@report succeeded set up',
    });
    expect(made.warnings.filter((warning) => !warning.startsWith('The branch name'))).toEqual([]);
    const { error } = JSON.parse(readFileSync(`${file}-done`, 'utf8'));
    expect(error.code).toBe('UNAUTHENTICATED');
    expect(error.message).toContain('outside any worker');
  });

  it('a hook of the repository does not run while a worktree is made', async () => {
    const repository = await c.addRepository('with-hook');
    const ran = join(c.folder, 'hook-ran');
    await runOutside('/bin/sh', [
      '-c',
      `printf '#!/bin/sh\\ntouch ${ran}\\n' > ${repository.path}/.git/hooks/post-checkout && chmod +x ${repository.path}/.git/hooks/post-checkout`,
    ]);
    const request = { repositoryId: repository.id, agentId: 'scripted', prompt: '@report succeeded' };
    await c.client.call('delegations.create', request);
    expect(existsSync(ran)).toBe(false);
    c.git(['checkout', '--quiet', '-b', 'shows-that-the-hook-works'], repository.path);
    expect(existsSync(ran)).toBe(true);
  });

  describe('environment', () => {
    const ours = (sessionId: string, workerId: string) => ({
      AGENT_CONSOLE_BASE_URL: c.baseUrl,
      AGENT_CONSOLE_MCP_URL: `${c.baseUrl}/mcp`,
      AGENT_CONSOLE_SESSION_ID: sessionId,
      AGENT_CONSOLE_WORKER_ID: workerId,
    });
    const named = (environment: Record<string, string>) =>
      Object.fromEntries(Object.entries(environment).filter(([name]) => name.startsWith('AGENT_CONSOLE_')));
    const agentEnvironment = async (sessionId: string, workerId: string) => {
      const { workers } = await c.client.call('sessions.get', { sessionId });
      const { pid } = workers.find((worker) => worker.id === workerId) ?? {};
      // Waits until the program runs: between fork and exec, its process has the environment of the runner, or none.
      const commandLine = (id: number | null | undefined) => readFileSync(`/proc/${id}/cmdline`, 'utf8');
      const runner = Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
      await c.until('the program', () => !['', commandLine(runner)].includes(commandLine(pid)));
      return environmentOf(readFileSync(`/proc/${pid}/environ`, 'utf8'));
    };

    it('of agents and terminals in a worktree, and their children, names session, worker and repository', async () => {
      const place = { AGENT_CONSOLE_REPOSITORY_ID: c.repository.id };
      const agent = await agentEnvironment(root.sessionId, root.workerId);
      expect(named(agent)).toEqual({ ...ours(root.sessionId, root.workerId), ...place });
      const shell = environmentOf(await output(`sh -c "sh -c 'env > $OUT'"`));
      expect(named(shell)).toEqual({ ...ours(root.sessionId, terminal), ...place });
      for (const environment of [agent, shell]) {
        expect(environment.PATH).toBe(c.env.PATH);
        expect(environment.HOME).toBe(c.env.HOME);
        for (const [name, value] of Object.entries(SECRETS)) {
          expect(environment).not.toHaveProperty(name);
          expect(Object.values(environment).join('\n')).not.toContain(value);
        }
      }
    });

    it('of an agent in a quick session has no repository, but the variables that its definition names', async () => {
      await c.client.call('agents.create', {
        id: 'named',
        name: 'Named',
        command: ['/bin/sh', '-c', 'sleep 1000'],
        env: ['NAMED_KEY'],
      });
      const { id: sessionId } = await c.client.call('sessions.create', { cwd: c.folder, agentId: 'named' });
      const agent = await c.client.call('workers.create', { sessionId, type: 'agent' });
      const environment = await agentEnvironment(sessionId, agent.id);
      expect(named(environment)).toEqual(ours(sessionId, agent.id));
      expect(environment.NAMED_KEY).toBe('named');
      expect(environment).not.toHaveProperty('CANARY_SECRET');
      const { id } = await c.client.call('workers.create', { sessionId, type: 'terminal' });
      const shell = environmentOf(await output('env > $OUT', id));
      expect(named(shell)).toEqual(ours(sessionId, id));
      expect(shell).not.toHaveProperty('NAMED_KEY');
      // The session has no repository, so a delegation from this session has to name one.
      const refused = await output(
        `curl -s -H 'Content-Type: application/json' -d '{"prompt":"x"}' $AGENT_CONSOLE_BASE_URL/api/delegations > $OUT`,
        id,
      );
      expect(JSON.parse(refused).error).toMatchObject({ code: 'VALIDATION', details: { field: 'repositoryId' } });
    });

    it('no token is in the arguments of a process or in a response of the console', async () => {
      const { workers } = await c.client.call('sessions.get', { sessionId: root.sessionId });
      const { pid } = workers.find((worker) => worker.id === root.workerId) ?? {};
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(root.token);
      expect(Object.values(await agentEnvironment(root.sessionId, root.workerId))).not.toContain(root.token);
      const events = await c.client.call('events.list', { limit: 500 });
      expect(JSON.stringify(events)).not.toContain(root.token);
      for (const name of ['server.log', 'runner.log']) {
        expect(readFileSync(join(c.home, name), 'utf8')).not.toContain(root.token);
      }
    });
  });

  describe('tokens', () => {
    const codeOf = (token: string) =>
      createClient({ baseUrl: c.baseUrl, token, insideWorker: true })
        .call('sessions.list', {})
        .then(
          () => 'ok',
          (error: { code: string }) => error.code,
        );

    it('a worker token expires with its worker, and a resumed worker has a new one', async () => {
      const made = await root.client.call('delegations.create', { prompt: '@sleep 60000' });
      const token = tokenOf(c, made.workerId);
      expect(await codeOf(token)).toBe('ok');
      await c.client.call('sessions.pause', { sessionId: made.sessionId });
      expect(existsSync(join(c.home, 'workers', made.workerId, 'process'))).toBe(false);
      expect(await codeOf(token)).toBe('UNAUTHENTICATED');
      await expect(ERAS.modern(`${c.baseUrl}/mcp`, token)).rejects.toThrow(/401/);
      const { workers } = await c.client.call('sessions.resume', { sessionId: made.sessionId });
      const next = workers.find((worker) => worker.state === 'running');
      const fresh = tokenOf(c, next?.id ?? '');
      expect(fresh).not.toBe(token);
      expect(await codeOf(fresh)).toBe('ok');
      expect(await codeOf(token)).toBe('UNAUTHENTICATED');
      await c.client.call('sessions.stop', { sessionId: made.sessionId });
      expect(await codeOf(fresh)).toBe('UNAUTHENTICATED');
    });

    it("a person's token works over MCP, until it is revoked or expires", async () => {
      const { id, token } = await c.client.call('tokens.create', { name: 'mine', scopes: ['read'] });
      expect(await codeOf(token)).toBe('ok');
      const mcp = await ERAS.legacy(`${c.baseUrl}/mcp`, token);
      expect((await mcp.listTools()).tools.map((tool) => tool.name)).toContain('list_sessions');
      const write = await mcp.callTool('stop_session', { sessionId: root.sessionId });
      expect(write.content[0]?.text).toMatch(/^PERMISSION_DENIED: .*scope "write"/);
      await c.client.call('tokens.revoke', { tokenId: id });
      await expect(mcp.callTool('list_sessions')).rejects.toThrow(/UNAUTHENTICATED.*was revoked/);
      await mcp.close();
      expect(await codeOf(token)).toBe('UNAUTHENTICATED');
      const expiresAt = new Date(Date.now() + 1_000).toISOString();
      const brief = await c.client.call('tokens.create', { name: 'brief', expiresAt });
      await c.until('the end of a token', async () => (await codeOf(brief.token)) === 'UNAUTHENTICATED');
    });

    it('a token in a URL, a wrong one and a relayed request are refused', async () => {
      const get = async (path: string, headers: Record<string, string> = {}) => {
        const response = await fetch(`${c.baseUrl}${path}`, { headers });
        return { status: response.status, body: (await response.json()) as { error?: { code: string } } };
      };
      expect((await get('/api/sessions')).status).toBe(200);
      expect(await get(`/api/sessions?token=${root.token}`)).toMatchObject({
        status: 400,
        body: { error: { code: 'VALIDATION' } },
      });
      for (const headers of [
        { authorization: 'Bearer wrong' },
        { authorization: 'Basic eDp5' },
        { 'x-forwarded-for': '127.0.0.1' },
        { forwarded: 'for=127.0.0.1' },
        { via: '1.1 proxy' },
      ]) {
        expect(await get('/api/sessions', headers as Record<string, string>)).toMatchObject({
          status: 401,
          body: { error: { code: 'UNAUTHENTICATED' } },
        });
      }
    });
  });

  describe('from elsewhere', () => {
    const answer = (path: string, method: string, headers: Record<string, string>) =>
      new Promise<{ status: number; code: string }>((resolve, reject) => {
        const request = http.request(`${c.baseUrl}${path}`, { method, headers }, (response) => {
          let text = '';
          response.on('data', (chunk) => {
            text += chunk;
          });
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, code: text.match(/PERMISSION_DENIED/)?.[0] ?? text }),
          );
        });
        request.on('error', reject);
        request.end(method === 'POST' ? '{}' : undefined);
      });
    const upgrade = (path: string, headers: Record<string, string>) =>
      new Promise<number>((resolve) => {
        const socket = new WebSocket(`${c.baseUrl.replace('http', 'ws')}${path}`, { headers });
        socket.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0));
        socket.on('open', () => {
          socket.close();
          resolve(101);
        });
        socket.on('error', () => undefined);
      });

    it('a foreign Host or Origin is refused on REST, MCP and WebSockets', async () => {
      const foreign: Record<string, string>[] = [
        { host: `evil.example:${c.port}` },
        { host: 'localhost' },
        { host: `127.0.0.1:${c.port + 1}` },
        { host: `127.0.0.1.evil.example:${c.port}` },
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: `http://localhost:${c.port + 1}` },
        { origin: `https://localhost:${c.port}` },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ];
      const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      for (const headers of foreign) {
        const refused = { status: 403, code: 'PERMISSION_DENIED' };
        expect(await answer('/api/sessions', 'GET', headers), JSON.stringify(headers)).toEqual(refused);
        expect(await answer('/api/delegations', 'POST', { ...json, ...headers })).toEqual(refused);
        expect(await answer('/mcp', 'POST', { ...json, ...headers })).toEqual(refused);
        expect(await answer('/api/events/stream', 'GET', headers)).toEqual(refused);
        expect(await answer('/', 'GET', headers)).toEqual(refused);
        for (const path of ['/ws/app', `/ws/session/${root.sessionId}/worker/${root.workerId}`]) {
          expect(await upgrade(path, headers), `${path} ${JSON.stringify(headers)}`).toBe(403);
        }
      }
      expect(await upgrade('/ws/app', {})).toBe(101);
      expect((await answer('/api/sessions', 'GET', { host: `localhost:${c.port}` })).status).toBe(200);
    });

    it('nothing listens beyond loopback', async () => {
      const addresses = Object.values(networkInterfaces())
        .flat()
        .filter((address) => address !== undefined && !address.internal && !address.address.startsWith('fe80'));
      for (const address of addresses) {
        const error = await new Promise<string>((resolve) => {
          const socket = connect({ host: address?.address ?? '', port: c.port });
          socket.on('connect', () => {
            socket.destroy();
            resolve('connected');
          });
          socket.on('error', (failure: NodeJS.ErrnoException) => resolve(failure.code ?? ''));
        });
        expect(error).toBe('ECONNREFUSED');
      }
    });
  });
});
