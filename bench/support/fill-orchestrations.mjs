import { join } from 'node:path';
import { copier, idOf } from './copy-rows.mjs';
import { load } from './packages.mjs';

/**
 * Writes copies of an orchestration with its agents and events into the database of a console whose server is stopped.
 * @param {string} home data directory
 * @param {{orchestrationId: string, count: number}} wanted
 */
export function fillOrchestrations(home, { orchestrationId, count }) {
  const database = new (load('libsql'))(join(home, 'console.db'));
  database.pragma('cache_size = -1000000');
  const copy = copier(database, 'orchestrations', ['id', 'state'], 'where id = @from');
  const copyAgents = database
    .pragma('table_info(orchestration_agents)')
    .map(({ name }) => name)
    .map((name) => (name === 'id' ? `@id || "id"` : name === 'orchestration_id' ? '@id' : `"${name}"`));
  const agents = database.prepare(
    `insert into orchestration_agents select ${copyAgents.join(', ')} from orchestration_agents where orchestration_id = @from limit @agents`,
  );
  const events = database.prepare(
    `insert into events (at, type, "subjectKind", "subjectId", "sessionId", actor, "viaSessionId", data)
     select at, type, "subjectKind", @id, "sessionId", actor, "viaSessionId", data from events
     where "subjectId" = @from limit 10`,
  );
  database.exec('begin');
  for (let n = 0; n < count; n += 1) {
    const id = idOf('d', n);
    copy.run({ id, state: 'completed', from: orchestrationId });
    agents.run({ id, from: orchestrationId, agents: 10 });
    events.run({ id, from: orchestrationId });
  }
  database.exec('commit');
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}
