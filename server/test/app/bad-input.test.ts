import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import type { Contract } from '@agent-console/shared/operation';
import { CONTRACTS } from '@agent-console/shared/operations/table';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fieldsOf } from '../../src/surfaces/input.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal, refusalsOf, send } from '../support/calling.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

/**
 * Returns the number of rows of each kind, the number of the last event, and the repository's refs, to compare them
 * later.
 */
async function made() {
  const { counts, lastEventSeq } = await c.client.call('system.status', {});
  return { ...counts, lastEventSeq, refs: refs() };
}

/** Returns the repository's refs, read from git's files without starting a process. */
function refs(): Record<string, string> {
  const gitDir = join(c.repository.path, '.git');
  const entries = readdirSync(join(gitDir, 'refs'), { recursive: true, withFileTypes: true });
  const loose = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const files = [...loose, join(gitDir, 'packed-refs')].filter((file) => existsSync(file));
  return Object.fromEntries(files.map((file) => [file, readFileSync(file, 'utf8')]));
}

/** Runs calls that must be rejected, and expects that nothing was stored. */
async function refused(calls: () => Promise<void>): Promise<void> {
  const before = await made();
  await calls();
  expect(await made()).toEqual(before);
}

/** Sends a request that `fetch` would not send. */
function raw(options: {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: Buffer;
  chunked?: boolean;
}) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const { method = 'GET', path, headers = {}, body, chunked = false } = options;
    const length = body === undefined || chunked ? {} : { 'Content-Length': String(body.length) };
    const call = request(
      { host: '127.0.0.1', port: c.port, method, path, headers: { ...headers, ...length } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}

async function post(contract: Contract, input: Record<string, unknown>): Promise<unknown> {
  const path = contract.rest.path.replace(/:(\w+)/g, (_, name: string) => String(input[name]));
  const fields = Object.fromEntries(Object.entries(input).filter(([name]) => !contract.rest.path.includes(`:${name}`)));
  const { body } = await send(c, contract.rest.method, path, fields);
  throw ConsoleError.fromBody(body) ?? new Error(`was not refused: ${JSON.stringify(body)}`);
}

const json = { 'Content-Type': 'application/json' };

describe('a field of the wrong type', () => {
  const WRONG: [string, unknown][] = [
    ['null', null],
    ['a number', 5.5],
    ['true', true],
    ['an object', { a: 1 }],
    ['an array', [[]]],
    ['a huge text', 'x'.repeat(300_000)],
    ['control characters', 'a\x1b]0;x\x07\0b'],
    ['a long array', Array(3_000).fill(7)],
  ];
  const WRITES = CONTRACTS.filter(({ effect, rest }) => effect !== 'read' && rest.method !== 'DELETE');

  it.each(WRITES)('is rejected by name without any effect: $name', async (contract: Contract) => {
    await refused(async () => {
      const inPath = [...contract.rest.path.matchAll(/:(\w+)/g)].map(([, field = '']) => [field, c.repository.id]);
      const fields = [...fieldsOf(contract.input).keys()].filter((field) => !inPath.some(([name]) => name === field));
      for (const field of fields) {
        for (const [kind, value] of WRONG) {
          const input = { ...Object.fromEntries(inPath), [field]: value };
          const issues = v.safeParse(contract.input, input).issues ?? [];
          if (!issues.some((issue) => v.getDotPath(issue)?.split('.')[0] === field)) continue;
          // Sends an idempotency key in the body. The typed client would send it as a header, and a huge header exceeds
          // the limit of the HTTP server.
          const call = field === 'idempotencyKey' ? post(contract, input) : c.client.run(contract, input);
          const error = await refusal(call);
          expect({ field, kind, ...error }).toMatchObject({ field, kind, code: 'VALIDATION' });
          const named = (error.details.issues ?? []) as { path: string }[];
          expect(named.some(({ path }) => path.split('.')[0] === field) || error.message.startsWith(field)).toBe(true);
          expect(JSON.stringify(error).length).toBeLessThan(5_000);
        }
      }
    });
  });

  it('with an unknown name is rejected by name, also for names that every object has', async () => {
    await refused(async () => {
      for (const field of ['bogus', 'constructor', '__proto__', 'toString', 'a b', '']) {
        const text = `{"cwd":${JSON.stringify(c.folder)},"agentId":"scripted",${JSON.stringify(field)}:{"x":1}}`;
        const { status, body } = await send(c, 'POST', '/sessions', text);
        expect({ field, status, body }).toMatchObject({ field, status: 400, body: { error: { code: 'VALIDATION' } } });
        expect(JSON.stringify(body)).toContain('unknown field');
      }
      expect(await send(c, 'GET', '/sessions?colour=red')).toMatchObject({ status: 400 });
      expect(await send(c, 'POST', '/sessions?cwd=/tmp', { agentId: 'scripted' })).toMatchObject({ status: 400 });
    });
  });
});

describe('a body', () => {
  it('of 2 MB is rejected as too large, with or without a content length', async () => {
    const body = Buffer.from(JSON.stringify({ cwd: c.folder, agentId: 'scripted', title: 'x'.repeat(2_000_000) }));
    await refused(async () => {
      for (const chunked of [false, true]) {
        const answer = await raw({ method: 'POST', path: '/api/sessions', headers: json, body, chunked }).catch(
          (error) => {
            // The server may close the connection without reading the rest of the request.
            if (!['EPIPE', 'ECONNRESET'].includes(error.code)) throw error;
            return undefined;
          },
        );
        if (answer === undefined) continue;
        expect(answer.status).toBe(413);
        expect(JSON.parse(answer.body)).toMatchObject({
          error: { code: 'TOO_LARGE', details: { limitBytes: 1_048_576 } },
        });
      }
      const path = `/api/sessions?agentId=${'x'.repeat(40_000)}`;
      const answer = await raw({ path }).catch(() => ({ status: 431 }));
      expect([400, 414, 431]).toContain(answer.status);
    });
  });

  it.each([
    ['that is no JSON', '{"cwd":'],
    ['with trailing text', '{} {}'],
    ['that is an array', '[]'],
    ['that is a text', '"x"'],
    ['that is null', 'null'],
    ['nested 100 000 deep', `{"cwd":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['nested deep in objects', `${'{"cwd":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
    ['that is not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['that is empty', ''],
  ])('%s is rejected', async (_, body) => {
    await refused(async () => {
      const { status, body: answer } = await send(c, 'POST', '/sessions', body);
      expect({ status, answer }).toMatchObject({ status: 400, answer: { error: { code: 'VALIDATION' } } });
    });
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'with content type "%s" is rejected, since a foreign page could send it',
    async (type) => {
      await refused(async () => {
        const body = Buffer.from(JSON.stringify({ cwd: c.folder, agentId: 'scripted' }));
        const headers: Record<string, string> = type === '' ? {} : { 'Content-Type': type };
        const { status } = await raw({ method: 'POST', path: '/api/sessions', headers, body });
        expect(status).toBe(400);
      });
    },
  );

  it('with a malformed idempotency key is rejected', async () => {
    await refused(async () => {
      for (const key of ['', ' ', 'x'.repeat(201), 'a\tb']) {
        const headers = { 'Idempotency-Key': key };
        const { status } = await send(c, 'POST', '/sessions', { cwd: c.folder, agentId: 'scripted' }, headers);
        expect({ key, status }).toEqual({ key, status: 400 });
      }
    });
  });
});

describe('names and paths', () => {
  it.each([
    ['a line break', 'two\nlines'],
    ['an escape sequence', 'x\x1b[2J'],
    ['NUL', 'x\0'],
    ['a C1 control', 'x\u009b2J'],
    ['501 characters', 'x'.repeat(501)],
    ['half a surrogate pair', 'x\ud800'],
  ])('as a title: %s is rejected', async (_, title) => {
    const sessionId = (await c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted', title: 'kept' }))
      .id;
    const repositoryId = c.repository.id;
    await refused(async () => {
      const errors = await refusalsOf([
        c.client.call('sessions.create', { cwd: c.folder, agentId: 'scripted', title }),
        c.client.call('sessions.update', { sessionId, title }),
        c.client.call('repositories.update', { repositoryId, name: title }),
        c.client.call('delegations.create', { repositoryId, agentId: 'scripted', prompt: 'x', title }),
        c.client.call('tokens.create', { name: title }),
      ]);
      for (const error of errors) expect(error).toMatchObject({ code: 'VALIDATION' });
    });
    expect((await c.client.call('sessions.get', { sessionId })).title).toBe('kept');
  });

  it.each([
    '-x',
    '--upload-pack=x',
    'a b',
    'a..b',
    'a\x07b',
    'a\\b',
    'refs//x',
    'x.lock',
    'a:b',
    ' a',
    'ä'.repeat(101),
  ])('as a branch or base: %j is rejected', async (branch) => {
    const fields = { repositoryId: c.repository.id, agentId: 'scripted', prompt: 'x' };
    await refused(async () => {
      expect(await refusal(c.client.call('delegations.create', { ...fields, branch }))).toMatchObject({
        code: 'VALIDATION',
        message: expect.stringMatching(/^branch: /),
      });
      const based = await refusal(c.client.call('delegations.create', { ...fields, baseBranch: branch }));
      expect(['VALIDATION', 'NOT_FOUND']).toContain(based.code);
      const remote = await refusal(
        c.client.call('delegations.create', { ...fields, baseBranch: `-${branch}`, useRemote: true }),
      );
      expect(remote.code).toBe('VALIDATION');
    });
  });

  it('that lead outside of their folder find nothing', async () => {
    writeFileSync(join(c.folder, 'secret.txt'), 'secret words');
    for (const path of [
      '/../../../../../../etc/passwd',
      '/..%2f..%2f..%2f..%2fetc/passwd',
      '/assets/..%2f..%2fserver.js',
      '/assets/../../package.json',
      '/%2e%2e/%2e%2e/server.js',
      '/.git/config',
      '/api/sessions/..%2f..%2fsettings',
      '/api/workers/..%2f..%2f..%2fconsole.db/output',
      '/api/jobs/%00',
      '/api/sessions/%ff%fe',
      `/${encodeURIComponent(join(c.folder, 'secret.txt'))}`,
    ]) {
      const { status, body } = await raw({ path });
      expect({ path, status }).toEqual({
        path,
        status: expect.toSatisfy((code: number) => code === 400 || code === 404),
      });
      expect(body).not.toMatch(/root:|secret words|SQLite format|"workspaces"/);
      expect(JSON.parse(body)).toMatchObject({ error: { code: expect.stringMatching(/NOT_FOUND|VALIDATION/) } });
    }
  });

  it('as ids are not patterns', async () => {
    for (const id of ['%%%%%%%%', '________', '00000000%', "x' or 1=1 --", '*'.repeat(36)]) {
      const error = await refusal(c.client.call('sessions.get', { sessionId: id }));
      expect(['VALIDATION', 'NOT_FOUND']).toContain(error.code);
    }
  });

  it('of agents, tokens and codes are validated like the others', async () => {
    const agents = (fields: object) =>
      refusal(c.client.call('agents.create', { id: 'fine', name: 'Fine', command: ['sh'], ...fields }));
    await refused(async () => {
      for (const fields of [
        { id: 'Upper' },
        { id: '../x' },
        { id: '-x' },
        { command: [] },
        { command: ['a\0b'] },
        { env: ['A=secret'] },
        { driver: 'telnet' },
        { name: '' },
      ]) {
        expect({ fields, ...(await agents(fields)) }).toMatchObject({ fields, code: 'VALIDATION' });
      }
      expect(await agents({ id: 'scripted' })).toMatchObject({ code: 'CONFLICT' });
      const token = (expiresAt: string) => refusal(c.client.call('tokens.create', { name: 'x', expiresAt }));
      for (const at of ['tomorrow', '2000-01-01T00:00:00.000Z'])
        expect(await token(at)).toMatchObject({ code: 'VALIDATION' });
      expect(await refusal(c.client.call('login.redeem', { code: 'guessed' }))).toMatchObject({
        code: 'UNAUTHENTICATED',
      });
      const settings = { delegationDepth: -1 };
      expect(await refusal(c.client.call('settings.update', settings))).toMatchObject({ code: 'VALIDATION' });
    });
  });
});
