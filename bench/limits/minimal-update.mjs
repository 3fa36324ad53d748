// A minimal REST update: node:http and a copy of a console's database, whose path is the argument. PATCH /sessions/<id>
// with a title stores the title and an event in one transaction, and returns the row.
import http from 'node:http';
import { load } from '../support/packages.mjs';

const database = new (load('libsql'))(process.argv[2]);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = NORMAL');
database.pragma('foreign_keys = ON');
const update = database.prepare('update sessions set title = ?, "updatedAt" = ? where id = ?');
const record = database.prepare(
  `insert into events (at, type, "subjectKind", "subjectId", "sessionId", actor, data)
   values (?, 'session.updated', 'session', ?, ?, 'user:bench', ?)`,
);
const read = database.prepare('select * from sessions where id = ?');

const server = http.createServer((incoming, outgoing) => {
  const chunks = [];
  incoming.on('data', (chunk) => chunks.push(chunk));
  incoming.on('end', () => {
    const id = incoming.url.split('/').at(-1);
    const data = JSON.parse(Buffer.concat(chunks));
    const at = new Date().toISOString();
    database.exec('begin immediate');
    update.run(data.title, at, id);
    record.run(at, id, id, JSON.stringify(data));
    database.exec('commit');
    outgoing.setHeader('content-type', 'application/json').end(JSON.stringify(read.get(id)));
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`));
process.stdin.on('end', () => process.exit(0)).resume();
