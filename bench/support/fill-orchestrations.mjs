import { join } from 'node:path';
import { load } from './packages.mjs';

/** Returns an id that sorts by time, like the product's ids. */
const idOf = (kind, n) => `0198f000-${kind}000-7000-8000-${n.toString(16).padStart(12, '0')}`;

/** Prepares a statement that copies a row of a table, except for these columns. */
function copier(database, table, columns, where) {
  const all = database.pragma(`table_info(${table})`).map(({ name }) => name);
  const values = all.map((name) => (columns.includes(name) ? `@${name}` : `"${name}"`));
  const names = all.map((name) => `"${name}"`).join(', ');
  return database.prepare(`insert into ${table} (${names}) select ${values.join(', ')} from ${table} where ${where}`);
}

/**
 * Writes copies of an orchestration with its agents and events into the database of a console whose server is stopped.
 * @param {string} home data directory
 * @param {{orchestrationId: string, count: number}} wanted
 */
export function fillOrchestrations(home, { orchestrationId, count }) {
  const database = new (load('libsql'))(join(home, 'console.db'));
  database.pragma('cache_size = -1000000');
  const copy = copier(database, 'orchestrations', ['id', 'state'], 'id = @from');
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
