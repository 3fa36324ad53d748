CREATE TABLE `boards` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`ownerId` text NOT NULL,
	`createdAt` text NOT NULL,
	`removedAt` text,
	`createdBy` text,
	`viaSessionId` text
);
--> statement-breakpoint
CREATE INDEX `boards_owner` ON `boards` (`ownerId`);--> statement-breakpoint
CREATE TABLE `mcp_servers` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`ownerId` text NOT NULL,
	`transport` text NOT NULL,
	`url` text,
	`command` text,
	`headers` text NOT NULL,
	`env` text NOT NULL,
	`createdAt` text NOT NULL,
	`removedAt` text
);
--> statement-breakpoint
CREATE TABLE `session_mcp_servers` (
	`id` text PRIMARY KEY NOT NULL,
	`sessionId` text NOT NULL,
	`mcpServerId` text NOT NULL,
	`createdAt` text NOT NULL,
	FOREIGN KEY (`sessionId`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`mcpServerId`) REFERENCES `mcp_servers`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `session_mcp_servers_pair` ON `session_mcp_servers` (`sessionId`,`mcpServerId`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`username` text,
	`email` text,
	`avatarUrl` text,
	`createdAt` text NOT NULL,
	`removedAt` text,
	`createdBy` text,
	`viaSessionId` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email` ON `users` (`email`) WHERE email is not null and "removedAt" is null;--> statement-breakpoint
CREATE TABLE `zones` (
	`id` text PRIMARY KEY NOT NULL,
	`boardId` text NOT NULL,
	`name` text NOT NULL,
	`color` text NOT NULL,
	`x` real NOT NULL,
	`y` real NOT NULL,
	`width` real NOT NULL,
	`height` real NOT NULL,
	`createdAt` text NOT NULL,
	`createdBy` text,
	`viaSessionId` text,
	FOREIGN KEY (`boardId`) REFERENCES `boards`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `zones_board` ON `zones` (`boardId`);--> statement-breakpoint
ALTER TABLE `sessions` ADD `visibility` text DEFAULT 'workspace' NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `contextFiles` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
CREATE INDEX `sessions_fork` ON `sessions` (`forkedFromSessionId`);--> statement-breakpoint
CREATE INDEX `sessions_private` ON `sessions` (`createdByUserId`) WHERE visibility = 'private';--> statement-breakpoint
ALTER TABLE `worktrees` ADD `boardId` text;--> statement-breakpoint
ALTER TABLE `worktrees` ADD `zoneId` text;--> statement-breakpoint
ALTER TABLE `worktrees` ADD `x` real;--> statement-breakpoint
ALTER TABLE `worktrees` ADD `y` real;--> statement-breakpoint
CREATE INDEX `worktrees_board` ON `worktrees` (`boardId`);--> statement-breakpoint
ALTER TABLE `audit` ADD `userId` text;--> statement-breakpoint
ALTER TABLE `tasks` ADD `createdBy` text;--> statement-breakpoint
ALTER TABLE `tasks` ADD `viaSessionId` text;--> statement-breakpoint
ALTER TABLE `tokens` ADD `createdBy` text;--> statement-breakpoint
ALTER TABLE `tokens` ADD `viaSessionId` text;--> statement-breakpoint
ALTER TABLE `worktrees` ADD `createdBy` text;--> statement-breakpoint
ALTER TABLE `worktrees` ADD `viaSessionId` text;--> statement-breakpoint
CREATE TRIGGER sessions_place_insert BEFORE INSERT ON sessions WHEN (new.type = 'worktree') <> (new."worktreeId" IS NOT NULL) BEGIN
	SELECT RAISE(ABORT, 'a session of type worktree has a worktree, and no other has one');
END;--> statement-breakpoint
CREATE TRIGGER sessions_place_update BEFORE UPDATE OF type, "worktreeId" ON sessions WHEN (new.type = 'worktree') <> (new."worktreeId" IS NOT NULL) BEGIN
	SELECT RAISE(ABORT, 'a session of type worktree has a worktree, and no other has one');
END;
