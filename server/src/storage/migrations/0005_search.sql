CREATE TABLE `search_documents` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`sourceId` text NOT NULL,
	`sessionId` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `search_documents_source` ON `search_documents` (`sourceId`);--> statement-breakpoint
CREATE INDEX `sessions_listed` ON `sessions` (`removedAt`,`archivedAt`,`id`,`mark`,`agentId`,`visibility`,`createdByUserId`);--> statement-breakpoint
CREATE INDEX `sessions_repository` ON `sessions` (`repositoryId`);--> statement-breakpoint
CREATE VIEW search_texts AS
SELECT d.id, CASE d.kind
	WHEN 'message' THEN (SELECT group_concat(json_extract(p.value, '$.text'), char(10)) FROM messages m, json_each(m.parts) p WHERE m.id = d."sourceId")
	WHEN 'task' THEN (SELECT t.prompt FROM tasks t WHERE t.id = d."sourceId")
	ELSE (SELECT s.title || char(10) || s.description FROM sessions s WHERE s.id = d."sourceId")
END AS text
FROM search_documents d;--> statement-breakpoint
CREATE VIRTUAL TABLE search_index USING fts5(text, content='search_texts', content_rowid='id', columnsize=0, tokenize='unicode61 remove_diacritics 2');--> statement-breakpoint
INSERT INTO search_documents (kind, "sourceId", "sessionId")
SELECT kind, source, session FROM (
	SELECT 'session' AS kind, id AS source, id AS session, "createdAt" AS at FROM sessions WHERE "removedAt" IS NULL
	UNION ALL SELECT 'task', id, "sessionId", "createdAt" FROM tasks WHERE kind = 'prompt' AND "startedAt" IS NULL
	UNION ALL SELECT 'message', id, "sessionId", "createdAt" FROM messages WHERE kind = 'text'
) ORDER BY at, source;--> statement-breakpoint
INSERT INTO search_index (rowid, text) SELECT id, text FROM search_texts;--> statement-breakpoint
CREATE TRIGGER messages_search_insert AFTER INSERT ON messages WHEN new.kind = 'text' BEGIN
	INSERT INTO search_documents (kind, "sourceId", "sessionId") VALUES ('message', new.id, new."sessionId");
	INSERT INTO search_index (rowid, text) VALUES ((SELECT id FROM search_documents WHERE "sourceId" = new.id), (SELECT group_concat(json_extract(p.value, '$.text'), char(10)) FROM json_each(new.parts) p));
END;--> statement-breakpoint
CREATE TRIGGER messages_search_update AFTER UPDATE OF parts ON messages WHEN new.kind = 'text' BEGIN
	INSERT INTO search_index (search_index, rowid, text) SELECT 'delete', id, (SELECT group_concat(json_extract(p.value, '$.text'), char(10)) FROM json_each(old.parts) p) FROM search_documents WHERE "sourceId" = old.id;
	INSERT INTO search_index (rowid, text) SELECT id, (SELECT group_concat(json_extract(p.value, '$.text'), char(10)) FROM json_each(new.parts) p) FROM search_documents WHERE "sourceId" = new.id;
END;--> statement-breakpoint
CREATE TRIGGER messages_search_delete AFTER DELETE ON messages WHEN old.kind = 'text' BEGIN
	INSERT INTO search_index (search_index, rowid, text) SELECT 'delete', id, (SELECT group_concat(json_extract(p.value, '$.text'), char(10)) FROM json_each(old.parts) p) FROM search_documents WHERE "sourceId" = old.id;
	DELETE FROM search_documents WHERE "sourceId" = old.id;
END;--> statement-breakpoint
CREATE TRIGGER tasks_search_insert AFTER INSERT ON tasks WHEN new.kind = 'prompt' AND new."startedAt" IS NULL BEGIN
	INSERT INTO search_documents (kind, "sourceId", "sessionId") VALUES ('task', new.id, new."sessionId");
	INSERT INTO search_index (rowid, text) VALUES ((SELECT id FROM search_documents WHERE "sourceId" = new.id), new.prompt);
END;--> statement-breakpoint
CREATE TRIGGER tasks_search_start AFTER UPDATE OF "startedAt" ON tasks WHEN old."startedAt" IS NULL AND new."startedAt" IS NOT NULL BEGIN
	INSERT INTO search_index (search_index, rowid, text) SELECT 'delete', id, old.prompt FROM search_documents WHERE "sourceId" = old.id;
	DELETE FROM search_documents WHERE "sourceId" = old.id;
END;--> statement-breakpoint
CREATE TRIGGER tasks_search_delete AFTER DELETE ON tasks BEGIN
	INSERT INTO search_index (search_index, rowid, text) SELECT 'delete', id, old.prompt FROM search_documents WHERE "sourceId" = old.id;
	DELETE FROM search_documents WHERE "sourceId" = old.id;
END;--> statement-breakpoint
CREATE TRIGGER sessions_search_insert AFTER INSERT ON sessions WHEN new."removedAt" IS NULL BEGIN
	INSERT INTO search_documents (kind, "sourceId", "sessionId") VALUES ('session', new.id, new.id);
	INSERT INTO search_index (rowid, text) VALUES ((SELECT id FROM search_documents WHERE "sourceId" = new.id), new.title || char(10) || new.description);
END;--> statement-breakpoint
CREATE TRIGGER sessions_search_update AFTER UPDATE OF title, description ON sessions BEGIN
	INSERT INTO search_index (search_index, rowid, text) SELECT 'delete', id, old.title || char(10) || old.description FROM search_documents WHERE "sourceId" = old.id;
	INSERT INTO search_index (rowid, text) SELECT id, new.title || char(10) || new.description FROM search_documents WHERE "sourceId" = new.id;
END;--> statement-breakpoint
CREATE TRIGGER sessions_search_remove AFTER UPDATE OF "removedAt" ON sessions WHEN new."removedAt" IS NOT NULL BEGIN
	INSERT INTO search_index (search_index, rowid, text) SELECT 'delete', id, new.title || char(10) || new.description FROM search_documents WHERE "sourceId" = new.id;
	DELETE FROM search_documents WHERE "sourceId" = new.id;
END;--> statement-breakpoint
CREATE TRIGGER sessions_search_delete AFTER DELETE ON sessions BEGIN
	INSERT INTO search_index (search_index, rowid, text) SELECT 'delete', id, old.title || char(10) || old.description FROM search_documents WHERE "sourceId" = old.id;
	DELETE FROM search_documents WHERE "sourceId" = old.id;
END;
