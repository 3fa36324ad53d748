import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAgentKinds } from '../../src/agents/kinds.ts';
import type { Call } from '../../src/domain/call.ts';
import { createCatalogue } from '../../src/engine/agents/catalogue.ts';
import { agentOperations } from '../../src/operations/agents.ts';
import type { OperationContext } from '../../src/operations/operation.ts';
import { openStorage } from '../support/storage.ts';

const CALL = { caller: { kind: 'user', userId: 'ann' } } as Call;

let opened: ReturnType<typeof openStorage>;
let agents: ReturnType<typeof agentOperations>;
beforeEach(() => {
  opened = openStorage();
  const { storage } = opened;
  const host = { which: async () => null };
  const unknown = { version: null, help: null };
  const programs = { known: () => unknown, learn: async () => unknown, loggedIn: async () => 'unknown' as const };
  const catalogue = createCatalogue({
    storage,
    host,
    kinds: createAgentKinds({ scriptedAgent: '', cli: '' }),
    programs,
  });
  agents = agentOperations({ storage, catalogue, now: () => new Date() } as OperationContext);
});
afterEach(() => opened.close());

const create = (id: string) =>
  agents['agents.create'](
    { id, name: id, kind: 'custom', driver: 'pty', command: ['sh'], env: [], queueWhenUnknown: 'hold' },
    CALL,
  );
const rename = (id: string, newId: string) => agents['agents.update']({ id, newId }, CALL);
const ids = async () => (await opened.storage.read.agents.find({})).map(({ id }) => id).sort();

/** Returns how many calls succeeded, and the errors of the others. */
async function outcomeOf(calls: readonly unknown[]) {
  const settled = await Promise.allSettled(calls);
  const errors = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  return { succeeded: settled.length - errors.length, errors };
}

it('an id that several calls choose at once is given to one of them, and the others are refused', async () => {
  const taken = { code: 'CONFLICT', message: expect.stringMatching(/^Agent mine is already defined/) };
  expect(await outcomeOf([create('mine'), create('mine')])).toMatchObject({ succeeded: 1, errors: [taken] });
  await create('a');
  await create('b');
  const refused = { code: 'CONFLICT', message: expect.stringMatching(/^Agent c is already defined/) };
  const chosen = await outcomeOf([rename('a', 'c'), rename('b', 'c'), create('c')]);
  expect(chosen).toMatchObject({ succeeded: 1, errors: [refused, refused] });
  expect(await ids()).toContain('c');
});

it('an agent that several calls rename or remove at once changes once', async () => {
  await create('a');
  const gone = { code: 'NOT_FOUND' };
  expect(await outcomeOf([rename('a', 'b'), rename('a', 'c')])).toMatchObject({ succeeded: 1, errors: [gone] });
  expect(await ids()).toEqual(['b']);
  const remove = () => agents['agents.remove']({ id: 'b' }, CALL);
  expect(await outcomeOf([remove(), remove()])).toMatchObject({ succeeded: 1, errors: [gone] });
  const events = await opened.storage.read.events.find({});
  expect(events.map(({ type }) => type)).toEqual(['agent.created', 'agent.updated', 'agent.removed']);
});
