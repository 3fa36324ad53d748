DROP VIEW search_texts;--> statement-breakpoint
CREATE TABLE `__new_sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`worktreeId` text,
	`repositoryId` text,
	`cwd` text NOT NULL,
	`agentId` text NOT NULL,
	`title` text NOT NULL,
	`description` text NOT NULL,
	`mark` text NOT NULL,
	`pausedBy` text,
	`queueHeld` integer NOT NULL,
	`permissionMode` text NOT NULL,
	`requestedMode` text,
	`permissionCeiling` text NOT NULL,
	`parentSessionId` text,
	`forkedFromSessionId` text,
	`spawnPointTaskId` text,
	`forkPointTaskId` text,
	`depth` integer NOT NULL,
	`createdByUserId` text,
	`createdBySessionId` text,
	`viaSessionId` text,
	`nativeId` text,
	`begun` integer NOT NULL,
	`visibility` text DEFAULT 'workspace' NOT NULL,
	`contextFiles` text DEFAULT '[]' NOT NULL,
	`messageCount` integer NOT NULL,
	`createdAt` text NOT NULL,
	`updatedAt` text NOT NULL,
	`archivedAt` text,
	`removedAt` text,
	FOREIGN KEY (`worktreeId`) REFERENCES `worktrees`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`repositoryId`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "sessions_type_and_worktree" CHECK(("type" = 'worktree') = ("worktreeId" is not null))
);
--> statement-breakpoint
INSERT INTO `__new_sessions`("id", "type", "worktreeId", "repositoryId", "cwd", "agentId", "title", "description", "mark", "pausedBy", "queueHeld", "permissionMode", "requestedMode", "permissionCeiling", "parentSessionId", "forkedFromSessionId", "spawnPointTaskId", "forkPointTaskId", "depth", "createdByUserId", "createdBySessionId", "viaSessionId", "nativeId", "begun", "visibility", "contextFiles", "messageCount", "createdAt", "updatedAt", "archivedAt", "removedAt") SELECT "id", "type", "worktreeId", "repositoryId", "cwd", "agentId", "title", "description", "mark", "pausedBy", "queueHeld", "permissionMode", "requestedMode", "permissionCeiling", "parentSessionId", "forkedFromSessionId", "spawnPointTaskId", "forkPointTaskId", "depth", "createdByUserId", "createdBySessionId", "viaSessionId", "nativeId", "begun", "visibility", "contextFiles", "messageCount", "createdAt", "updatedAt", "archivedAt", "removedAt" FROM `sessions`;--> statement-breakpoint
DROP TABLE `sessions`;--> statement-breakpoint
ALTER TABLE `__new_sessions` RENAME TO `sessions`;--> statement-breakpoint
CREATE VIEW search_texts AS
SELECT d.id, CASE d.kind
	WHEN 'message' THEN (SELECT group_concat(json_extract(p.value, '$.text'), char(10)) FROM messages m, json_each(m.parts) p WHERE m.id = d."sourceId")
	WHEN 'task' THEN (SELECT t.prompt FROM tasks t WHERE t.id = d."sourceId")
	ELSE (SELECT s.title || char(10) || s.description FROM sessions s WHERE s.id = d."sourceId")
END AS text
FROM search_documents d;--> statement-breakpoint
CREATE INDEX `sessions_worktree` ON `sessions` (`worktreeId`);--> statement-breakpoint
CREATE INDEX `sessions_parent` ON `sessions` (`parentSessionId`);--> statement-breakpoint
CREATE INDEX `sessions_creator` ON `sessions` (`createdBySessionId`);--> statement-breakpoint
CREATE INDEX `sessions_fork` ON `sessions` (`forkedFromSessionId`);--> statement-breakpoint
CREATE INDEX `sessions_private` ON `sessions` (`createdByUserId`) WHERE visibility = 'private';--> statement-breakpoint
CREATE INDEX `sessions_listed` ON `sessions` (`removedAt`,`archivedAt`,`id`,`mark`,`agentId`,`visibility`,`createdByUserId`);--> statement-breakpoint
CREATE INDEX `sessions_repository` ON `sessions` (`repositoryId`);--> statement-breakpoint
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
