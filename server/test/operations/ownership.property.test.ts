import { ConsoleError } from '@agent-console/shared/errors';
import { Visibility } from '@agent-console/shared/models/session';
import type { Contract, Noun } from '@agent-console/shared/operation';
import { CONTRACTS, type OperationName } from '@agent-console/shared/operations/table';
import fc from 'fast-check';
import { uuidv7 } from 'uuidv7';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../src/domain/caller.ts';
import { createAudit } from '../../src/engine/access/audit.ts';
import { createOwnership } from '../../src/engine/access/ownership.ts';
import { queuePrompt } from '../../src/engine/changes/task-changes.ts';
import { newWorkerRow } from '../../src/engine/processes/new-worker.ts';
import { secrets } from '../../src/identity/secrets.ts';
import { createGate } from '../../src/operations/gate.ts';
import type { Implementations, OperationContext } from '../../src/operations/operation.ts';
import { createViewerScopes } from '../../src/operations/viewer-scopes.ts';
import type { SessionRow } from '../../src/ports/rows.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { createReadersOfUser } from '../../src/storage/readers-of-user.ts';
import { inputSchema } from '../../src/surfaces/json-schema.ts';
import { sessionRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const RUNS = Number(process.env.RUNS ?? (process.env.LONG ? 300 : 5));
const LIMIT_MS = process.env.LONG ? 1_800_000 : 180_000;
const deps = { now: () => new Date(), newId: uuidv7 };
const SYSTEM = { actor: 'system' };
/** Kinds of entities whose rows belong to a session and therefore to a user. */
const OWNED: readonly Noun[] = ['session', 'worker', 'task', 'approval', 'delegation', 'job'];

/**
 * Operations that change only data of the calling user, such as pins. A user may call them for every session that the
 * user can see.
 */
const OF_THE_CALLER: readonly string[] = ['sessions.pin'];

/** Values for operations that require at least one of their optional fields. */
const WORDS: Readonly<Record<string, unknown>> = { title: 'x', cwd: '/tmp', imageId: '0'.repeat(32) };

interface Schema {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  minimum?: number;
  minItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** Returns the smallest value that is valid for a schema. */
function least({ type, enum: words, const: word, anyOf, minimum, minItems = 0, items = {}, ...rest }: Schema): unknown {
  if (word !== undefined) return word;
  if (words !== undefined) return words[0];
  if (anyOf !== undefined) return least(anyOf[0] ?? {});
  if (type === 'integer' || type === 'number') return minimum ?? 1;
  if (type === 'boolean') return true;
  if (type === 'array') return Array.from({ length: minItems }, () => least(items));
  if (type !== 'object') return type === 'null' ? null : 'x';
  return Object.fromEntries((rest.required ?? []).map((name) => [name, least(rest.properties?.[name] ?? {})]));
}

interface Owned {
  row: SessionRow;
  ids: Record<string, string>;
  /** Ids of jobs that everybody who sees the session can read. */
  jobs: string[];
  /** Id of the job of a dry run by the owner of the session. Only this owner and the local owner can read it. */
  dryRun: string;
}

/** Returns an input in which every field for an id contains the id of something that belongs to the session. */
function inputFor(contract: Contract, { ids }: Owned): Record<string, unknown> {
  const schema = inputSchema(contract.input) as Schema;
  const extra = Object.entries(WORDS).filter(([name]) => schema.properties?.[name] !== undefined);
  const named = Object.entries(contract.ids ?? {}).filter(([, noun]) => OWNED.includes(noun));
  return {
    ...(least(schema) as object),
    ...Object.fromEntries(extra),
    ...Object.fromEntries(
      named.map(([field, noun]) => [field, schema.properties?.[field]?.type === 'array' ? [ids[noun]] : ids[noun]]),
    ),
  };
}

const SUBJECTS = CONTRACTS.filter(
  ({ ids = {} }) => Object.keys(ids).length > 0 && Object.values(ids).every((noun) => OWNED.includes(noun)),
);

let opened: ReturnType<typeof openStorage>;
let storage: Storage;
beforeAll(async () => {
  opened = openStorage();
  ({ storage } = opened);
});
afterAll(() => opened.close());

async function addSession(userId: string, visibility: Visibility, parent: SessionRow | null): Promise<Owned> {
  const at = deps.now().toISOString();
  const parentId = parent?.id ?? null;
  const row = sessionRow(uuidv7(), {
    cwd: '/',
    agentId: 'any',
    parentSessionId: parentId,
    createdByUserId: userId,
    createdBySessionId: parentId,
    viaSessionId: parentId,
    visibility,
    createdAt: at,
    updatedAt: at,
  });
  const worker = newWorkerRow(deps, row, { id: uuidv7(), type: 'agent', cols: 80, rows: 24 });
  const approval = uuidv7();
  const delegation = uuidv7();
  const { session, task, jobs } = await storage.write(SYSTEM, async (tx) => {
    const session = await tx.sessions.insert(row);
    await tx.workers.insert(worker);
    const prompt = { prompt: 'x', sourceKind: 'person', sourceId: userId, notifyOnCompletion: true } as const;
    const { task } = await queuePrompt(tx, deps, { ...prompt, sessionId: row.id });
    await tx.approvals.insert({
      id: approval,
      sessionId: row.id,
      workerId: worker.id,
      text: 'May I?',
      options: [],
      source: 'screen',
      logOffset: 0,
      createdAt: at,
    });
    await tx.delegations.insert({
      id: delegation,
      parentSessionId: null,
      repositoryId: '',
      sessionId: row.id,
      workerId: worker.id,
      taskId: task.id,
      worktreeId: '',
      worktreePath: '/',
      branch: 'x',
      base: 'main',
      useRemote: false,
      warnings: [],
      notify: true,
      answered: true,
      createdAt: at,
      updatedAt: at,
    });
    const addJob = async (actor: string, params: Record<string, unknown>) =>
      (await tx.jobs.insert({ id: uuidv7(), kind: 'pull-request', params, actor, createdAt: at })).id;
    const jobs = {
      ofAgent: await addJob(`session:${row.id}`, { dryRun: true }),
      ofDelegation: await addJob('system', { delegationId: delegation }),
      quoting: await addJob(`user:${userId}`, { quotedSessionId: row.id }),
      dryRun: await addJob(`user:${userId}`, { dryRun: true }),
    };
    return { session, task: task.id, jobs };
  });
  const { ofAgent: job, ofDelegation, quoting, dryRun } = jobs;
  const ids = { session: row.id, worker: worker.id, task, approval, delegation, job };
  return { row: session, ids, jobs: [job, ofDelegation, quoting], dryRun };
}

async function addUser(username: string): Promise<string> {
  const id = uuidv7();
  const row = { id, username, email: null, avatarUrl: null, createdAt: deps.now().toISOString(), removedAt: null };
  await storage.write(SYSTEM, (tx) => tx.users.insert(row));
  return id;
}

function cameFrom(row: SessionRow, above: string | undefined, sessions: readonly Owned[]): boolean {
  if (row.parentSessionId === null) return false;
  const parent = sessions.find((each) => each.row.id === row.parentSessionId)?.row;
  return row.parentSessionId === above || (parent !== undefined && cameFrom(parent, above, sessions));
}

/**
 * The expected result of a call that names rows of the session `about`: an error code, or `ran` if the call must
 * succeed.
 */
function verdict(
  contract: Contract,
  caller: Caller,
  viewer: string | undefined,
  about: Owned,
  sessions: Owned[],
): string {
  const { name, effect, access, alsoFor = [] } = contract;
  const { row } = about;
  if (caller.kind === 'worker' && (access === 'member' || access === 'owner')) return 'PERMISSION_DENIED';
  if (access === 'owner') return viewer === undefined ? 'ran' : 'PERMISSION_DENIED';
  const visible = viewer === undefined || row.visibility === 'workspace' || row.createdByUserId === viewer;
  if (!visible) return 'NOT_FOUND';
  if (caller.kind !== 'worker') {
    if (effect === 'read' || OF_THE_CALLER.includes(name)) return 'ran';
    return viewer === undefined || row.createdByUserId === viewer ? 'ran' : 'PERMISSION_DENIED';
  }
  if (access === 'workspace-read' || access === 'public') return 'ran';
  const own = sessions.find((each) => each.row.id === caller.sessionId)?.row;
  if (row.id === own?.id) return 'ran';
  if (access === 'subtree' && cameFrom(row, own?.id, sessions)) return 'ran';
  return alsoFor.includes('parent') && own?.parentSessionId === row.id ? 'ran' : 'PERMISSION_DENIED';
}

describe('a session of another user', () => {
  it(
    `is accessible only to permitted callers, in every operation that names a session (seed ${SEED})`,
    async () => {
      expect(SUBJECTS.length).toBeGreaterThan(25);
      const plan = fc.array(
        fc.record({ owner: fc.nat(2), visibility: fc.constantFrom(...Visibility.options), child: fc.boolean() }),
        { minLength: 2, maxLength: 4 },
      );
      await fc.assert(
        fc.asyncProperty(plan, async (wanted) => {
          const names = ['the local owner', `Ann ${uuidv7()}`, `Bob ${uuidv7()}`];
          const users = await Promise.all(names.map(addUser));
          const [ownerId = ''] = users;
          const sessions: Owned[] = [];
          for (const { owner, visibility, child } of wanted) {
            const parent = child ? (sessions.at(-1)?.row ?? null) : null;
            const userId = parent?.createdByUserId ?? users[owner] ?? '';
            sessions.push(await addSession(userId, visibility, parent));
          }
          const ran = Object.fromEntries(CONTRACTS.map(({ name }) => [name, async () => 'ran']));
          const ownership = createOwnership(storage.read, ownerId);
          const onBug = (error: unknown) => {
            throw error;
          };
          const gate = createGate({
            ...deps,
            storage,
            secrets,
            ownership,
            audit: createAudit({ ...deps, storage, ownership, onBug }),
            scopeFor: createViewerScopes(
              { ...deps, storage } as OperationContext,
              createReadersOfUser(storage.read, opened.reader),
              () => ran as unknown as Implementations,
              {},
            ),
            onBug,
          });
          const callers: [Caller, string | undefined][] = [
            ...users.map((userId): [Caller, string | undefined] => [
              {
                kind: 'user',
                userId,
                scopes: ['read', 'write', ...(userId === ownerId ? ['owner' as const] : [])],
                via: 'token',
              },
              userId === ownerId ? undefined : userId,
            ]),
            ...sessions.map(({ row, ids }): [Caller, string | undefined] => [
              { kind: 'worker', workerId: ids.worker ?? '', sessionId: row.id, via: 'token' },
              row.createdByUserId ?? '',
            ]),
          ];
          const codeOf = async (name: OperationName, input: object, caller: Caller) => {
            const call = { caller, surface: 'rest' as const, signal: new AbortController().signal };
            const answer = gate.run(name, input, call);
            return answer.then(String, (error: unknown) =>
              error instanceof ConsoleError ? error.code : String(error),
            );
          };
          for (const { row, jobs, dryRun } of sessions) {
            for (const [caller, viewer] of callers) {
              const isOwn = viewer === undefined || viewer === row.createdByUserId;
              const detail = JSON.stringify({ caller, session: row });
              for (const jobId of jobs) {
                const code = await codeOf('jobs.get', { jobId }, caller);
                expect(code, detail).toBe(isOwn || row.visibility === 'workspace' ? 'ran' : 'NOT_FOUND');
              }
              expect(await codeOf('jobs.get', { jobId: dryRun }, caller), detail).toBe(isOwn ? 'ran' : 'NOT_FOUND');
            }
          }
          for (const contract of SUBJECTS) {
            for (const about of sessions) {
              for (const [caller, viewer] of callers) {
                const call = { caller, surface: 'rest' as const, signal: new AbortController().signal };
                const answer = gate.run(contract.name as OperationName, inputFor(contract, about), call);
                const found = await answer.then(String, (error: unknown) => error);
                const code = found instanceof ConsoleError ? found.code : found;
                const must = verdict(contract, caller, viewer, about, sessions);
                const detail = `${contract.name} ${JSON.stringify({ caller, session: about.row })}: ${String(found)}`;
                expect(code, detail).toBe(must);
                if (must === 'PERMISSION_DENIED' && caller.kind === 'user' && contract.access !== 'owner') {
                  const whose = names[users.indexOf(about.row.createdByUserId ?? '')] ?? '';
                  expect(String(found)).toContain(whose);
                }
              }
            }
          }
        }),
        { seed: SEED, numRuns: RUNS },
      );
    },
    LIMIT_MS,
  );
});
