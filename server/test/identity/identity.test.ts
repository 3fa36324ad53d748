import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../src/domain/caller.ts';
import { createIdentity, type IdentityOptions } from '../../src/identity/identity.ts';
import type { IdentitySource, PeerEvidence } from '../../src/ports/identity.ts';

type LiveWorker = Awaited<ReturnType<IdentitySource['liveWorkers']>>[number];

/** Process groups (negative) and processes to kill after each test, in the notation of `kill`. */
const started = new Set<number>();
const servers: Server[] = [];
afterEach(async () => {
  for (const target of started) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // Killing fails if the process has already ended.
    }
  }
  started.clear();
  for (const server of servers.splice(0)) server.close();
});

const startTimeOf = async (pid: number) => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
};

/** Listens on a free port. `next` returns the incoming sockets one by one. */
async function listen(host = '127.0.0.1') {
  const server = createServer();
  const sockets: Socket[] = [];
  const waiting: ((socket: Socket) => void)[] = [];
  server.on('connection', (socket) => {
    const taker = waiting.shift();
    if (taker === undefined) sockets.push(socket);
    else taker(socket);
  });
  server.listen(0, host);
  await once(server, 'listening');
  servers.push(server);
  const { port } = server.address() as AddressInfo;
  const next = () =>
    new Promise<Socket>((resolve) => {
      const socket = sockets.shift();
      if (socket === undefined) waiting.push(resolve);
      else resolve(socket);
    });
  return { server, port, next };
}

const evidenceFor = (socket: Socket, headers: Record<string, string> = {}): PeerEvidence => ({
  headers,
  remoteAddress: socket.remoteAddress ?? '',
  remotePort: socket.remotePort ?? 0,
  localAddress: socket.localAddress ?? '',
  localPort: socket.localPort ?? 0,
  connection: socket,
});

/** A program that connects and prints its pid. Shell lines start it at different places of a process tree. */
const CONNECT = `const s=require('net').connect(+process.env.P,process.env.H||'127.0.0.1');s.on('connect',()=>console.log('connected '+process.pid));s.on('error',()=>{});setInterval(()=>{},1e6)`;

interface Shaped {
  shell: ChildProcess;
  lines: AsyncIterator<string>;
}

function run(script: string, env: Record<string, string>, user?: number): Shaped {
  const shell = spawn('sh', ['-c', script], {
    ...(user === undefined ? {} : { uid: user, cwd: '/' }),
    env: { PATH: process.env.PATH ?? '', NODE: process.execPath, CODE: CONNECT, ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  if (shell.pid !== undefined) started.add(-shell.pid);
  const output = createInterface({ input: shell.stdout });
  // Each process prints its pid, so that processes that have left the process group are killed too.
  output.on('line', (line) => started.add(Number(/\d+/.exec(line)?.[0])));
  const lines = output[Symbol.asyncIterator]();
  return { shell, lines };
}

function identityFor(
  options: Partial<IdentityOptions> & {
    workers?: () => LiveWorker[];
    tokens?: Record<string, Caller>;
    /** Ids of the tokens that belong to browser logins. */
    logins?: readonly string[];
  } = {},
) {
  const { workers = () => [], tokens = {}, logins = [], ...rest } = options;
  return createIdentity(
    {
      liveWorkers: async () => workers(),
      findToken: async (hash) => {
        const found = Object.entries(tokens).find(
          ([token]) => createHash('sha256').update(token).digest('hex') === hash,
        )?.[1];
        if (found?.kind === 'user') {
          const { userId, scopes, tokenId = '' } = found;
          return { kind: 'user', userId, scopes, tokenId, isLogin: logins.includes(tokenId) };
        }
        if (found?.kind === 'worker') return { kind: 'worker', workerId: found.workerId, sessionId: found.sessionId };
        return undefined;
      },
      localOwnerId: () => 'owner',
    },
    { tokenOnly: false, ownPids: () => [], ...rest },
  );
}

const workerOf = async (pid: number, name: string): Promise<LiveWorker> => ({
  workerId: `worker-${name}`,
  sessionId: `session-${name}`,
  pid,
  startTime: await startTimeOf(pid),
});

const OWNER = { kind: 'user', userId: 'owner', scopes: ['read', 'write', 'owner'], via: 'peer' };

describe('the Unix user of a connection', () => {
  const own = process.getuid?.() ?? 0;
  const isRoot = own === 0;
  /** Only root can start a process of another user. */
  const user = isRoot ? 65_534 : own;

  it('is another one if it is neither the user of the server nor root', async () => {
    const { port, next } = await listen();
    run('exec "$NODE" -e "$CODE"', { P: String(port) }, isRoot ? user : undefined);
    const connection = evidenceFor(await next());
    expect(await identityFor({ uid: user + 1 }).isOtherUser(connection)).toBe(true);
    expect(await identityFor({ uid: user }).isOtherUser(connection)).toBe(false);
    expect(await identityFor({ uid: user + 1, isProxied: true }).isOtherUser(connection)).toBe(false);
    expect(await identityFor({ uid: user + 1, platform: 'darwin' }).isOtherUser(connection)).toBe(false);
  });

  it('must be that of the server for the token of a browser login, and for no other token', async () => {
    const { port, next } = await listen();
    run('exec "$NODE" -e "$CODE"', { P: String(port) }, isRoot ? user : undefined);
    const connection = evidenceFor(await next());
    const person = { kind: 'user', userId: 'u', scopes: ['read'], via: 'token' } as const;
    const tokens = { login: { ...person, tokenId: 'l' }, created: { ...person, tokenId: 't' } };
    const [here, elsewhere] = [user, user + 1].map((uid) => identityFor({ uid, tokens, logins: ['l'] }));
    expect(await here?.identifyToken('login', connection)).toEqual(tokens.login);
    expect(await elsewhere?.identifyToken('created', connection)).toEqual(tokens.created);
    const refused = { kind: 'nobody', reason: expect.stringContaining('browser login') };
    expect(await elsewhere?.identifyToken('login', connection)).toMatchObject(refused);
    const request = { ...connection, headers: { authorization: 'Bearer login', via: '1.1 proxy' } };
    expect(await elsewhere?.identify(request)).toMatchObject(refused);
  });

  it.runIf(isRoot)('is no other one if it is root', async () => {
    const { port, next } = await listen();
    run('exec "$NODE" -e "$CODE"', { P: String(port) });
    expect(await identityFor({ uid: user }).isOtherUser(evidenceFor(await next()))).toBe(false);
  });
});

describe('the process behind a connection', () => {
  it('is the owner if it belongs to no worker, on IPv4, IPv6 and an IPv6 socket that carries IPv4', async () => {
    for (const [host, target] of [
      ['127.0.0.1', '127.0.0.1'],
      ['::1', '::1'],
      ['::', '127.0.0.1'],
      ['::', '::ffff:127.0.0.1'],
    ] as const) {
      const { port, next } = await listen(host);
      run('exec "$NODE" -e "$CODE"', { P: String(port), H: target });
      expect(await identityFor().identify(evidenceFor(await next())), `${host} ${target}`).toEqual(OWNER);
    }
  });

  it('is the worker it descends from, at any depth, even after setsid', async () => {
    for (const script of [
      'exec "$NODE" -e "$CODE"',
      'sh -c \'sh -c "\\"$NODE\\" -e \\"\\$CODE\\"; :"; :\'; :',
      'setsid "$NODE" -e "$CODE"; :',
    ]) {
      const { port, next } = await listen();
      const { shell } = run(script, { P: String(port), AGENT_CONSOLE_WORKER_ID: 'x' });
      const worker = await workerOf(shell.pid ?? 0, 'a');
      const identity = identityFor({ workers: () => [worker] });
      expect(await identity.identify(evidenceFor(await next())), script).toEqual({
        kind: 'worker',
        workerId: 'worker-a',
        sessionId: 'session-a',
        via: 'peer',
      });
    }
  });

  it('is the worker whose Unix session it shares after its parent ended', async () => {
    const { port, next } = await listen();
    const { shell } = run('("$NODE" -e "$CODE" &) ; read line', { P: String(port) });
    const worker = await workerOf(shell.pid ?? 0, 'a');
    const socket = await next();
    const caller = await identityFor({ workers: () => [worker] }).identify(evidenceFor(socket));
    expect(caller).toMatchObject({ kind: 'worker', workerId: 'worker-a' });
  });

  it('is nobody if it left the process tree of a worker that its environment names', async () => {
    const { port, next } = await listen();
    const { shell, lines } = run('(setsid "$NODE" -e "$CODE" &) ; read line', {
      P: String(port),
      AGENT_CONSOLE_WORKER_ID: 'x',
    });
    const socket = await next();
    const escaped = Number(/\d+/.exec((await lines.next()).value)?.[0]);
    const worker = await workerOf(shell.pid ?? 0, 'a');
    const caller = await identityFor({ workers: () => [worker] }).identify(evidenceFor(socket));
    process.kill(escaped, 'SIGKILL');
    expect(caller).toMatchObject({ kind: 'nobody', reason: expect.stringContaining('AGENT_CONSOLE_WORKER_ID') });
  });

  it('is nobody if it has too many ancestors', async () => {
    const { port, next } = await listen();
    const { shell } = run(
      'f() { if [ "$1" -gt 0 ]; then (f $(($1 - 1)); :); else setsid -w env -i "P=$P" "$NODE" -e "$CODE"; fi; }; f 300',
      { P: String(port) },
    );
    const worker = await workerOf(shell.pid ?? 0, 'a');
    const caller = await identityFor({ workers: () => [worker] }).identify(evidenceFor(await next()));
    expect(caller).toMatchObject({ kind: 'nobody', reason: expect.stringMatching(/more than 256 ancestors.*token/) });
  });

  it('is nobody if the console started it outside a worker, and a worker inside one', async () => {
    const { port, next } = await listen();
    const { shell } = run('"$NODE" -e "$CODE"; :', { P: String(port) });
    const socket = await next();
    const own = { ownPids: () => [process.pid] };
    expect(await identityFor(own).identify(evidenceFor(socket))).toMatchObject({ kind: 'nobody' });
    const worker = await workerOf(shell.pid ?? 0, 'a');
    const inside = identityFor({ ...own, workers: () => [worker] });
    expect(await inside.identify(evidenceFor(socket))).toMatchObject({ kind: 'worker' });
  });

  it('is not a worker that had its pid before', async () => {
    const { port, next } = await listen();
    const { shell } = run('exec "$NODE" -e "$CODE"', { P: String(port) });
    const worker = { ...(await workerOf(shell.pid ?? 0, 'a')), startTime: '1' };
    expect(await identityFor({ workers: () => [worker] }).identify(evidenceFor(await next()))).toEqual(OWNER);
  });

  it('has the least permissions of the processes that share the socket', async () => {
    // The child inherits the connection of the process that opened it, and then stops itself by SIGSTOP. If the child
    // executed another program instead, its environment would be unreadable for a moment.
    const share = (child: string) =>
      `exec "$NODE" -e "const s=require('net').connect(+process.env.P,'127.0.0.1');s.on('connect',()=>{const c=require('child_process').spawn('sh',['-c','${child}'],{stdio:['ignore','inherit','inherit',s],detached:true,env:{...process.env,...JSON.parse(process.env.CHILD||'{}')}});});setInterval(()=>{},1e6)"`;
    const { port, next } = await listen();
    const { shell, lines } = run(share('echo \\$\\$; kill -STOP \\$\\$'), {
      P: String(port),
      CHILD: '{"AGENT_CONSOLE_WORKER_ID":"x"}',
    });
    const socket = await next();
    const child = Number((await lines.next()).value);
    const parentPid = shell.pid ?? 0;
    expect(await identityFor().identify(evidenceFor(socket))).toMatchObject({ kind: 'nobody' });
    const childOnly = await workerOf(child, 'child');
    expect(await identityFor({ workers: () => [childOnly] }).identify(evidenceFor(socket))).toMatchObject({
      kind: 'worker',
      workerId: 'worker-child',
    });
    const both = [await workerOf(parentPid, 'parent'), childOnly];
    expect(await identityFor({ workers: () => both }).identify(evidenceFor(socket))).toMatchObject({ kind: 'nobody' });
    process.kill(child, 'SIGKILL');
  });

  it('is checked again when workers start, and each second', async () => {
    const { port, next } = await listen();
    const { shell } = run('"$NODE" -e "$CODE"; :', { P: String(port) });
    const socket = await next();
    let workers: LiveWorker[] = [];
    let now = 0;
    const identity = identityFor({ workers: () => workers, now: () => now });
    expect(await identity.identify(evidenceFor(socket))).toEqual(OWNER);
    workers = [await workerOf(shell.pid ?? 0, 'a')];
    expect(await identity.identify(evidenceFor(socket))).toMatchObject({ kind: 'worker' });
    shell.kill('SIGKILL');
    await once(shell, 'exit');
    workers = [];
    now += 1_000;
    expect(await identity.identify(evidenceFor(socket))).toEqual(OWNER);
  });

  it('is nobody once it has ended', async () => {
    const { port, next } = await listen();
    const { shell } = run('exec "$NODE" -e "$CODE"', { P: String(port) });
    const socket = await next();
    socket.resume();
    let now = 0;
    const identity = identityFor({ now: () => now });
    expect(await identity.identify(evidenceFor(socket))).toEqual(OWNER);
    const ended = once(socket, 'close');
    const evidence = evidenceFor(socket);
    shell.kill('SIGKILL');
    await ended;
    now += 1_000;
    expect(await identity.identify(evidence)).toMatchObject({
      kind: 'nobody',
      reason: expect.stringContaining('token'),
    });
  });

  it('is nobody if it runs as another Unix user', async () => {
    const { port, next } = await listen();
    run('exec "$NODE" -e "$CODE"', { P: String(port) });
    const caller = await identityFor({ uid: (process.getuid?.() ?? 0) + 1 }).identify(evidenceFor(await next()));
    expect(caller).toMatchObject({ kind: 'nobody', reason: expect.stringContaining('another Unix user') });
  });

  it('is trusted only without a proxy or browser in between', async () => {
    const { port, next } = await listen();
    run('exec "$NODE" -e "$CODE"', { P: String(port) });
    const socket = await next();
    const identity = identityFor();
    const relay = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'via', 'x-real-ip', 'cf-ray', 'true-client-ip'];
    for (const name of [...relay, 'x-original-url', 'tailscale-user-login', 'origin', 'sec-fetch-site']) {
      expect(await identity.identify(evidenceFor(socket, { [name]: 'x' })), name).toMatchObject({ kind: 'nobody' });
    }
    expect(await identity.identify(evidenceFor(socket, { 'sec-fetch-mode': 'cors' }))).toEqual(OWNER);
    const cases: Partial<IdentityOptions>[] = [{ tokenOnly: true }, { platform: 'darwin' }];
    for (const options of cases) {
      expect(await identityFor(options).identify(evidenceFor(socket))).toMatchObject({ kind: 'nobody' });
    }
    const remote = { ...evidenceFor(socket), remoteAddress: '192.0.2.1' };
    expect(await identity.identify(remote)).toMatchObject({ kind: 'nobody' });
  });
});

describe('a bearer token', () => {
  const user: Caller = { kind: 'user', userId: 'u', scopes: ['read'], via: 'token', tokenId: 't' };
  const worker: Caller = { kind: 'worker', workerId: 'w', sessionId: 's', via: 'token' };
  const evidence: PeerEvidence = {
    headers: {},
    remoteAddress: '192.0.2.1',
    remotePort: 1,
    localAddress: '192.0.2.2',
    localPort: 2,
    connection: {},
  };
  const identity = identityFor({ tokens: { 'user-token': user, 'worker-token': worker }, cliToken: 'cli-token' });
  const send = (authorization: string) => identity.identify({ ...evidence, headers: { authorization } });

  it('identifies its owner from anywhere', async () => {
    expect(await send('Bearer user-token')).toEqual(user);
    expect(await send('bearer worker-token')).toEqual(worker);
    expect(await identity.identifyToken('worker-token', evidence)).toEqual(worker);
    expect(await send('Bearer cli-token')).toEqual({ ...OWNER, via: 'token' });
  });

  it('makes the caller nobody if it is unknown or malformed, whatever its process', async () => {
    const { port, next } = await listen();
    run('exec "$NODE" -e "$CODE"', { P: String(port) });
    const socket = await next();
    for (const authorization of ['Bearer wrong', 'Bearer', 'Basic abc', '', 'Bearer a b']) {
      expect(await identity.identify(evidenceFor(socket, { authorization })), authorization).toMatchObject({
        kind: 'nobody',
      });
    }
  });
});
