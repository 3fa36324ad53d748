import { ConsoleError, fieldError } from '@agent-console/shared/errors';
import { IDEMPOTENCY_KEY_MS, UNDELIVERED_RETRY_MS } from '@agent-console/shared/limits/calls';
import type { AnySchema, Contract, Noun } from '@agent-console/shared/operation';
import { contractOf, type OperationName, type OutputOf } from '@agent-console/shared/operations/table';
import { validate } from '@agent-console/shared/validate';
import { mayRun } from '../domain/access.ts';
import type { Call, Idempotency } from '../domain/call.ts';
import { actorOf, type Caller } from '../domain/caller.ts';
import type { Audit } from '../engine/access/audit.ts';
import { withoutForeignText } from '../engine/access/foreign-text.ts';
import type { Ownership, SessionRelation } from '../engine/access/ownership.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Storage } from '../ports/storage.ts';
import type { Gate, Implementations, Replays } from './operation.ts';
import type { Resolver } from './resolve.ts';

/** The part of the console that one viewer can see: all sessions except other people's private ones. */
export interface ViewerScope {
  resolver: Resolver;
  implementations: Implementations;
  replays: Replays;
  /** Returns the output of an operation without ids of sessions hidden from the viewer. */
  shown(schema: AnySchema, output: unknown): Promise<unknown>;
}

export interface GateDeps {
  /**
   * Returns the resolver and the operations for a viewer. They return only data that the viewer may see. Without a
   * viewer, they return all data.
   */
  scopeFor: (viewer: string | undefined) => ViewerScope;
  ownership: Ownership;
  audit: Audit;
  storage: Storage;
  secrets: Secrets;
  now: () => Date;
  newId: () => string;
  onBug: (error: unknown, about: { operation: string; requestId: string }) => void;
}

type Input = Record<string, unknown>;

/** Serializes JSON with sorted keys, so that equal bodies have equal hashes. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  );
}

/**
 * Creates the gate, which validates, authorizes, runs and audits the calls of all operations and surfaces in the same
 * way.
 */
export function createGate(deps: GateDeps): Gate {
  const { storage, ownership, audit } = deps;
  const inFlight = new Map<string, { bodySha256: string; answer: Promise<unknown> }>();
  /**
   * Calls of workers without an idempotency key that still run although their response is lost, by caller, operation
   * and body.
   */
  const lost = new Map<string, Promise<void>>();

  /** Returns the full ids for a list of id prefixes, without duplicates. */
  async function resolveList(noun: Noun, prefixes: readonly string[], resolver: Resolver): Promise<string[]> {
    const ids = new Set<string>();
    for (const prefix of prefixes) ids.add((await resolver.resolve(noun, prefix, { includeRemoved: false })).id);
    return [...ids];
  }

  /**
   * Replaces the ids of an input by full ids. `targetSession` is the session that a worker must have access to;
   * `sessions` are the sessions of everything that the input names, except in lists of ids.
   */
  async function resolveIds(contract: Contract, input: Input, { resolver }: ViewerScope) {
    const resolved = { ...input };
    let targetSession: string | null = null;
    const sessions = new Set<string>();
    for (const [field, noun] of Object.entries(contract.ids ?? {})) {
      const value = input[field];
      if (Array.isArray(value)) resolved[field] = await resolveList(noun, value, resolver);
      if (typeof value !== 'string') continue;
      const { id, sessionId } = await resolver.resolve(noun, value, {
        includeRemoved: contract.includesRemoved ?? false,
      });
      resolved[field] = id;
      if (contract.target === field) targetSession = sessionId;
      if (sessionId !== null) sessions.add(sessionId);
    }
    return { input: resolved, targetSession, sessions };
  }

  function authorize(contract: Contract, caller: Caller, { relation, ownedBy }: SessionRelation): void {
    const { access, effect, alsoFor = [] } = contract;
    const decision = mayRun(caller, { access, effect, alsoFor }, relation, ownedBy);
    if (!decision.allowed) throw new ConsoleError(decision.code, decision.why, { operation: contract.name });
  }

  async function replay(
    name: OperationName,
    row: { bodySha256: string; output: Input },
    bodySha256: string,
    call: Call,
    replays: Replays,
  ) {
    if (row.bodySha256 !== bodySha256) {
      throw new ConsoleError(
        'CONFLICT',
        'This idempotency key was used for a different request. Use a new key for each request.',
        {},
      );
    }
    const fresh = replays[name] as ((remembered: Input, call: Call) => Promise<unknown>) | undefined;
    return fresh === undefined ? row.output : fresh(row.output, call);
  }

  /** Runs an operation at most once per idempotency key. A repeated call gets the result of the first call. */
  async function runOnce(
    name: OperationName,
    input: Input,
    call: Call,
    replays: Replays,
    run: (call: Call) => Promise<unknown>,
  ): Promise<unknown> {
    const { idempotencyKey, ...body } = input;
    const caller = call.caller.kind === 'worker' ? `worker:${call.caller.workerId}` : actorOf(call.caller);
    const providedKey = (idempotencyKey as string | undefined) ?? call.idempotencyKey;
    if (providedKey === undefined && call.caller.kind !== 'worker') return run(call);
    const bodySha256 = deps.secrets.sha256(canonical(body));
    const key = providedKey ?? `auto:${deps.newId()}`;
    const idempotency: Idempotency = { caller, operation: name, key, bodySha256, delivered: null };
    if (providedKey === undefined) return runUnlessLost(name, idempotency, call, replays, run);
    const id = `${caller} ${name} ${key}`;
    const running = inFlight.get(id);
    if (running !== undefined) {
      if (running.bodySha256 === bodySha256) return running.answer;
      return replay(name, { bodySha256: running.bodySha256, output: {} }, bodySha256, call, replays);
    }
    const answer = (async () => {
      const known = await storage.read.idempotency.get(caller, name, key);
      if (known !== undefined && known.createdAt > ago(IDEMPOTENCY_KEY_MS)) {
        return replay(name, known, bodySha256, call, replays);
      }
      return run({ ...call, idempotency });
    })().finally(() => inFlight.delete(id));
    inFlight.set(id, { bodySha256, answer });
    return answer;
  }

  /**
   * Runs a call without an idempotency key. If the response to an identical call of the same worker was lost, the call
   * is a retry, and gets the result of that call.
   */
  async function runUnlessLost(
    name: OperationName,
    idempotency: Idempotency,
    call: Call,
    replays: Replays,
    run: (call: Call) => Promise<unknown>,
  ): Promise<unknown> {
    const { caller, bodySha256 } = idempotency;
    const same = `${caller} ${name} ${bodySha256}`;
    let response: { key: string } = idempotency;
    const answer = (async () => {
      // The lost call may not have stored its changes yet, so a retry waits for it.
      await lost.get(same);
      const known = await storage.read.idempotency.undelivered(caller, name, bodySha256, ago(UNDELIVERED_RETRY_MS));
      if (known === undefined) return run({ ...call, idempotency });
      response = known;
      // Until the response to the retry was sent or lost, no other call counts as a retry.
      await markDelivered(known, call.delivered === undefined ? true : null);
      return replay(name, known, bodySha256, call, replays);
    })();
    const settled = answer.then(
      () => {},
      () => {},
    );

    async function settleDelivery(delivered: boolean): Promise<void> {
      idempotency.delivered = delivered;
      const marked = settled.then(() => markDelivered({ caller, operation: name, key: response.key }, delivered));
      if (delivered) return marked;
      const over = marked.catch(() => {});
      lost.set(same, over);
      await over;
      if (lost.get(same) === over) lost.delete(same);
      return marked;
    }

    call.delivered
      ?.then(settleDelivery)
      .catch((error) => deps.onBug(error, { operation: name, requestId: 'delivery' }));
    return answer;
  }

  function ago(ms: number): string {
    return new Date(deps.now().getTime() - ms).toISOString();
  }

  function markDelivered(
    row: { caller: string; operation: string; key: string },
    delivered: boolean | null,
  ): Promise<void> {
    return storage.write({ actor: row.caller }, (tx) =>
      tx.idempotency.delivered(row.caller, row.operation, row.key, delivered),
    );
  }

  function asConsoleError(error: unknown, operation: string): ConsoleError {
    if (error instanceof ConsoleError) return error;
    const requestId = deps.newId();
    deps.onBug(error, { operation, requestId });
    return new ConsoleError('INTERNAL', `Internal error. See the server log for request ${requestId}.`, { requestId });
  }

  /** Validates the input, resolves its ids and authorizes the caller. */
  async function admit(
    contract: Contract,
    input: unknown,
    caller: Caller,
  ): Promise<{ input: Input; scope: ViewerScope }> {
    const valid = validate(contract.input, input ?? {}) as Input;
    authorizeUntargeted(contract, caller);
    refuseRestrictedFields(contract, valid, caller);
    const scope = deps.scopeFor(await ownership.viewerOf(caller));
    const { input: resolved, targetSession, sessions } = await resolveIds(contract, valid, scope);
    // A worker must have access to the target session. If the input names none, the target is the worker's own session.
    // A person must have access to every session that the input names.
    const isTargetOmitted = contract.target !== undefined && valid[contract.target] === undefined;
    const toAuthorize =
      caller.kind === 'worker' ? [isTargetOmitted ? caller.sessionId : targetSession] : [null, ...sessions];
    for (const sessionId of toAuthorize) authorize(contract, caller, await ownership.relationTo(caller, sessionId));
    return { input: resolved, scope };
  }

  function refuseRestrictedFields({ name, peopleOnly = [], ownerOnly = [] }: Contract, input: Input, caller: Caller) {
    const isWorker = caller.kind === 'worker';
    const isOwner = caller.kind === 'user' && caller.scopes.includes('owner');
    const isSet = (field: string) => input[field] !== undefined;
    const people = isWorker ? peopleOnly.find(isSet) : undefined;
    const owners = isOwner ? undefined : ownerOnly.find(isSet);
    const field = people ?? owners;
    if (field === undefined) return;
    const who = people === undefined ? 'the local owner' : 'people';
    throw fieldError(field, `only ${who} can set this field; leave it out`, { operation: name }, 'PERMISSION_DENIED');
  }

  /** Audits the failed call and returns the error for the caller. */
  async function failed(thrown: unknown, contract: Contract, call: Call, startedAt: number): Promise<ConsoleError> {
    const error = asConsoleError(thrown, contract.name);
    await audit.note(contract, call, error.code, startedAt);
    return error;
  }

  return {
    async run(name, input, call) {
      const startedAt = performance.now();
      const contract = contractOf(name);
      try {
        const { input: resolved, scope } = await admit(contract, input, call.caller);
        const implementation = scope.implementations[name] as (input: Input, call: Call) => Promise<unknown>;
        const output = contract.idempotent
          ? await runOnce(name, resolved, call, scope.replays, (keyed) => implementation(resolved, keyed))
          : await implementation(resolved, call);
        await audit.note(contract, call, 'ok', startedAt);
        const shown = await scope.shown(contract.output, output);
        const isWorker = call.caller.kind === 'worker';
        return (isWorker ? withoutForeignText(contract.output, shown) : shown) as OutputOf<typeof name>;
      } catch (thrown) {
        throw await failed(thrown, contract, call, startedAt);
      }
    },
    async check(name, input, call) {
      const startedAt = performance.now();
      const contract = contractOf(name);
      try {
        return (await admit(contract, input, call.caller)).input;
      } catch (thrown) {
        throw await failed(thrown, contract, call, startedAt);
      }
    },
    refused: (name, error, call, startedAt) =>
      audit.note({ name, effect: 'write' }, call, error instanceof ConsoleError ? error.code : 'INTERNAL', startedAt),
    mayCall(name, caller) {
      const { access, effect } = contractOf(name);
      return mayRun(caller, { access, effect, alsoFor: [] }, 'own').allowed;
    },
  };

  /** Rejects callers who may not run this operation, whatever its target. Called before any row is read. */
  function authorizeUntargeted(contract: Contract, caller: Caller): void {
    authorize(contract, caller, { relation: contract.target === undefined ? 'none' : 'own' });
  }
}
