ALTER TABLE `messages` ADD `revision` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE messages SET revision = seq;--> statement-breakpoint
CREATE INDEX `messages_revision` ON `messages` (`sessionId`,`revision`);--> statement-breakpoint
CREATE TRIGGER messages_revision_insert AFTER INSERT ON messages BEGIN
	UPDATE messages SET revision = 1 + (SELECT max(revision) FROM messages WHERE "sessionId" = new."sessionId") WHERE id = new.id;
END;--> statement-breakpoint
CREATE TRIGGER messages_revision_update AFTER UPDATE OF parts, seq, "taskId", role, kind, source ON messages BEGIN
	UPDATE messages SET revision = 1 + (SELECT max(revision) FROM messages WHERE "sessionId" = new."sessionId") WHERE id = new.id;
END;--> statement-breakpoint
DROP TRIGGER messages_search_insert;--> statement-breakpoint
DROP TRIGGER messages_search_update;--> statement-breakpoint
DROP TRIGGER messages_search_delete;--> statement-breakpoint
DROP VIEW search_texts;--> statement-breakpoint
CREATE VIEW search_texts AS
SELECT d.id, CASE d.kind
	WHEN 'message' THEN (SELECT group_concat(coalesce(json_extract(p.value, '$.text'), json_extract(p.value, '$.title'), iif(m.kind = 'plan', json_extract(p.value, '$.content'), NULL)), char(10)) FROM messages m, json_each(m.parts) p WHERE m.id = d."sourceId")
	WHEN 'task' THEN (SELECT t.prompt FROM tasks t WHERE t.id = d."sourceId")
	ELSE (SELECT s.title || char(10) || s.description FROM sessions s WHERE s.id = d."sourceId")
END AS text
FROM search_documents d;--> statement-breakpoint
CREATE TRIGGER messages_search_insert AFTER INSERT ON messages WHEN new.kind IN ('text', 'thought', 'toolCall', 'plan') BEGIN
	INSERT INTO search_documents (kind, "sourceId", "sessionId") VALUES ('message', new.id, new."sessionId");
	INSERT INTO search_index (rowid, text) SELECT id, text FROM search_texts WHERE id = (SELECT id FROM search_documents WHERE "sourceId" = new.id);
END;--> statement-breakpoint
CREATE TRIGGER messages_search_before_update BEFORE UPDATE OF parts ON messages BEGIN
	INSERT INTO search_index (search_index, rowid, text) SELECT 'delete', id, text FROM search_texts WHERE id = (SELECT id FROM search_documents WHERE "sourceId" = old.id);
END;--> statement-breakpoint
CREATE TRIGGER messages_search_update AFTER UPDATE OF parts ON messages BEGIN
	INSERT INTO search_index (rowid, text) SELECT id, text FROM search_texts WHERE id = (SELECT id FROM search_documents WHERE "sourceId" = new.id);
END;--> statement-breakpoint
CREATE TRIGGER messages_search_delete BEFORE DELETE ON messages BEGIN
	INSERT INTO search_index (search_index, rowid, text) SELECT 'delete', id, text FROM search_texts WHERE id = (SELECT id FROM search_documents WHERE "sourceId" = old.id);
	DELETE FROM search_documents WHERE "sourceId" = old.id;
END;
