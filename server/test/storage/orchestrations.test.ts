import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewRow } from '../../src/ports/rows.ts';
import { orchestrationRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

const AUTHOR = { actor: 'test' };
const at = '2026-01-01T00:00:00.000Z';

let s: ReturnType<typeof openStorage>;
beforeEach(() => {
  s = openStorage();
});
afterEach(() => s.close());

const agentRow = (orchestrationId: string, agentId: string): NewRow<'orchestrationAgents'> => ({
  id: `${orchestrationId}-${agentId}`,
  orchestrationId,
  agentId,
  role: 'engineer',
  task: 'work',
  dependencies: [],
  createdAt: at,
  stage: 0,
  allowFailure: false,
  maxAttempts: 1,
  timeoutSeconds: 60,
});

const sql = (statement: string) => s.writer.raw.prepare(statement).all() as Record<string, unknown>[];
const columnsOf = (table: string) => sql(`pragma table_info('${table}')`).map(({ name }) => name);
const planOf = (query: string) =>
  sql(`explain query plan ${query}`)
    .map(({ detail }) => detail)
    .join('; ');

describe('the tables of orchestrations', () => {
  it('have the specified columns', () => {
    expect(columnsOf('orchestrations')).toEqual(
      expect.arrayContaining(
        'id workspace_hash objective strategy state created_at started_at completed_at agent_count completed_agents failed_agents metadata error_message'.split(
          ' ',
        ),
      ),
    );
    expect(columnsOf('orchestration_agents')).toEqual(
      expect.arrayContaining(
        'orchestration_id agent_id role task state dependencies created_at started_at completed_at exit_code error_message'.split(
          ' ',
        ),
      ),
    );
    expect(columnsOf('orchestration_events')).toEqual(
      'id orchestration_id timestamp event_type agent_id data'.split(' '),
    );
  });

  it('accept only known states and strategies', async () => {
    await s.storage.write(AUTHOR, (tx) => tx.orchestrations.insert(orchestrationRow('checked')));
    for (const column of ['state', 'strategy']) {
      expect(() => s.writer.raw.exec(`update orchestrations set ${column} = 'unknown'`)).toThrow(/CHECK/);
    }
    await s.storage.write(AUTHOR, (tx) => tx.orchestrations.remove({ id: 'checked' }));
  });

  it('contain each agent once, and its rows are removed with the orchestration', async () => {
    await s.storage.write(AUTHOR, async (tx) => {
      await tx.orchestrations.insert(orchestrationRow('one'));
      await tx.orchestrationAgents.insert(agentRow('one', 'a'));
      await tx.orchestrationAttempts.insert({
        id: 'attempt',
        orchestrationId: 'one',
        agentId: 'a',
        attempt: 1,
        sessionId: 's',
        taskId: 't',
        startedAt: at,
        state: 'running',
      });
    });
    const copy = (id: string, orchestrationId: string, agentId: string) =>
      s.writer.raw.exec(
        `insert into orchestration_agents (id, orchestration_id, agent_id, role, task, state, dependencies, created_at, stage, allow_failure, max_attempts, timeout_seconds)
         select ${id}, ${orchestrationId}, ${agentId}, role, task, state, dependencies, created_at, stage, allow_failure, max_attempts, timeout_seconds from orchestration_agents`,
      );
    expect(() => copy("'new'", 'orchestration_id', 'agent_id')).toThrow(/UNIQUE/);
    expect(() => copy("'new'", "'none'", 'agent_id')).toThrow(/FOREIGN KEY/);
    await s.storage.write(AUTHOR, (tx) => tx.orchestrations.remove({ id: 'one' }));
    expect(await s.storage.read.orchestrationAgents.count({})).toBe(0);
    expect(await s.storage.read.orchestrationAttempts.count({})).toBe(0);
  });

  it.each([
    ["select * from orchestrations where created_at < 'x' order by created_at", 'idx_created'],
    ["select * from orchestration_agents where task_id = 'x'", 'orchestration_agents_task'],
    ["select * from orchestration_agents where session_id = 'x'", 'orchestration_agents_session'],
    ["select * from orchestration_attempts where orchestration_id = 'x'", 'orchestration_attempts_attempt'],
    ["select * from orchestration_events where orchestration_id = 'x' and id > 5 order by id", 'events_subject'],
    ["select * from orchestration_agents where orchestration_id = 'x'", 'sqlite_autoindex_orchestration_agents_1'],
  ])('answer %s with an index', (query, index) => {
    const plan = planOf(query);
    expect(plan).toContain(index);
    expect(plan).not.toContain('SCAN');
  });
});

describe('events of orchestrations', () => {
  const prune = () =>
    s.storage.write(AUTHOR, (tx) =>
      tx.prune({ eventSeq: Number.MAX_SAFE_INTEGER, eventsAt: '9999', idempotencyAt: at }),
    );
  const subjects = async () => (await s.storage.read.events.find({})).map(({ subjectId }) => subjectId);

  it('are kept until the orchestration is removed, also while it is archived', async () => {
    await s.storage.write(AUTHOR, async (tx) => {
      for (const id of ['kept', 'archived', 'removed']) {
        await tx.orchestrations.insert(orchestrationRow(id));
        await tx.record({ type: 'orchestration.started', subject: { kind: 'orchestration', id }, data: {} });
      }
      await tx.record({ type: 'runner.lost', subject: { kind: 'runner', id: 'runner' } });
      await tx.orchestrations.update('archived', { archivedAt: at });
      await tx.orchestrations.remove({ id: 'removed' });
    });
    await prune();
    expect(await subjects()).toEqual(['kept', 'archived']);
    await s.storage.write(AUTHOR, (tx) => tx.removeOrchestrationEvents('kept'));
    expect(await subjects()).toEqual(['archived']);
  });
});
