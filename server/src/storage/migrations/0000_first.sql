CREATE TABLE `agents` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`command` text NOT NULL,
	`env` text NOT NULL,
	`queueWhenUnknown` text NOT NULL,
	`createdAt` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `audit` (
	`id` text PRIMARY KEY NOT NULL,
	`at` text NOT NULL,
	`actor` text NOT NULL,
	`sessionId` text,
	`surface` text NOT NULL,
	`operation` text NOT NULL,
	`result` text NOT NULL,
	`milliseconds` real NOT NULL
);
--> statement-breakpoint
CREATE TABLE `delegations` (
	`id` text PRIMARY KEY NOT NULL,
	`parentSessionId` text,
	`repositoryId` text NOT NULL,
	`sessionId` text NOT NULL,
	`workerId` text NOT NULL,
	`taskId` text NOT NULL,
	`worktreeId` text NOT NULL,
	`worktreePath` text NOT NULL,
	`branch` text NOT NULL,
	`base` text NOT NULL,
	`useRemote` integer NOT NULL,
	`state` text NOT NULL,
	`failedStep` text,
	`errorCode` text,
	`errorMessage` text,
	`warnings` text NOT NULL,
	`notify` integer NOT NULL,
	`answered` integer NOT NULL,
	`createdAt` text NOT NULL,
	`updatedAt` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `delegations_parent` ON `delegations` (`parentSessionId`);--> statement-breakpoint
CREATE INDEX `delegations_state` ON `delegations` (`state`);--> statement-breakpoint
CREATE INDEX `delegations_session` ON `delegations` (`sessionId`);--> statement-breakpoint
CREATE TABLE `events` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` text NOT NULL,
	`type` text NOT NULL,
	`subjectKind` text NOT NULL,
	`subjectId` text NOT NULL,
	`sessionId` text,
	`actor` text NOT NULL,
	`viaSessionId` text,
	`data` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `events_session` ON `events` (`sessionId`,`seq`);--> statement-breakpoint
CREATE TABLE `idempotency` (
	`caller` text NOT NULL,
	`operation` text NOT NULL,
	`key` text NOT NULL,
	`bodySha256` text NOT NULL,
	`output` text NOT NULL,
	`delivered` integer,
	`createdAt` text NOT NULL,
	PRIMARY KEY(`caller`, `operation`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_body` ON `idempotency` (`caller`,`operation`,`bodySha256`);--> statement-breakpoint
CREATE TABLE `inputs` (
	`id` text PRIMARY KEY NOT NULL,
	`workerId` text NOT NULL,
	`taskId` text,
	`kind` text NOT NULL,
	`text` text NOT NULL,
	`state` text NOT NULL,
	`pastedOffset` integer,
	`submittedOffset` integer,
	`acceptedBy` text,
	`createdAt` text NOT NULL,
	`submittedAt` text,
	FOREIGN KEY (`workerId`) REFERENCES `workers`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `inputs_worker` ON `inputs` (`workerId`,`state`);--> statement-breakpoint
CREATE INDEX `inputs_task` ON `inputs` (`taskId`);--> statement-breakpoint
CREATE TABLE `jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`state` text NOT NULL,
	`fraction` real NOT NULL,
	`phase` text NOT NULL,
	`params` text NOT NULL,
	`result` text,
	`error` text,
	`actor` text NOT NULL,
	`createdAt` text NOT NULL,
	`endedAt` text
);
--> statement-breakpoint
CREATE TABLE `login_codes` (
	`sha256` text PRIMARY KEY NOT NULL,
	`userId` text NOT NULL,
	`expiresAt` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `mcp_sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`record` text NOT NULL,
	`createdAt` text NOT NULL,
	`lastUsedAt` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `messages` (
	`id` text PRIMARY KEY NOT NULL,
	`sessionId` text NOT NULL,
	`taskId` text,
	`seq` integer NOT NULL,
	`role` text NOT NULL,
	`kind` text NOT NULL,
	`parts` text NOT NULL,
	`source` text NOT NULL,
	`logOffset` integer,
	`createdAt` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `messages_session` ON `messages` (`sessionId`,`seq`);--> statement-breakpoint
CREATE TABLE `meta` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `notices` (
	`id` text PRIMARY KEY NOT NULL,
	`sessionId` text NOT NULL,
	`kind` text NOT NULL,
	`aboutSessionId` text NOT NULL,
	`aboutTaskId` text,
	`aboutDelegationId` text,
	`title` text NOT NULL,
	`status` text,
	`outcomeSource` text,
	`certain` integer,
	`summary` text NOT NULL,
	`state` text NOT NULL,
	`taskId` text,
	`createdAt` text NOT NULL,
	`deliveredAt` text
);
--> statement-breakpoint
CREATE INDEX `notices_session` ON `notices` (`sessionId`,`state`);--> statement-breakpoint
CREATE INDEX `notices_task` ON `notices` (`taskId`);--> statement-breakpoint
CREATE TABLE `repositories` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`path` text NOT NULL,
	`commonDir` text NOT NULL,
	`url` text,
	`defaultBranch` text NOT NULL,
	`setupCommand` text,
	`cleanupCommand` text,
	`checkCommand` text,
	`worktreesDir` text NOT NULL,
	`nextIndex` integer NOT NULL,
	`createdAt` text NOT NULL,
	`removedAt` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `repositories_common_dir` ON `repositories` (`commonDir`) WHERE "removedAt" is null;--> statement-breakpoint
CREATE TABLE `sessions` (
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
	`messageCount` integer NOT NULL,
	`createdAt` text NOT NULL,
	`updatedAt` text NOT NULL,
	`archivedAt` text,
	`removedAt` text,
	FOREIGN KEY (`worktreeId`) REFERENCES `worktrees`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`repositoryId`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `sessions_worktree` ON `sessions` (`worktreeId`);--> statement-breakpoint
CREATE INDEX `sessions_parent` ON `sessions` (`parentSessionId`);--> statement-breakpoint
CREATE INDEX `sessions_creator` ON `sessions` (`createdBySessionId`);--> statement-breakpoint
CREATE TABLE `settings` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `tasks` (
	`id` text PRIMARY KEY NOT NULL,
	`sessionId` text NOT NULL,
	`kind` text NOT NULL,
	`prompt` text NOT NULL,
	`status` text NOT NULL,
	`waitingFor` text,
	`outcomeSource` text,
	`certain` integer,
	`sourceKind` text NOT NULL,
	`sourceId` text,
	`notifyOnCompletion` integer NOT NULL,
	`delegationId` text,
	`position` real NOT NULL,
	`blocked` text,
	`sendNow` integer NOT NULL,
	`quietSince` text,
	`remindedAt` text,
	`summary` text,
	`artifacts` text NOT NULL,
	`errorCode` text,
	`errorMessage` text,
	`usage` text,
	`version` integer NOT NULL,
	`createdAt` text NOT NULL,
	`startedAt` text,
	`endedAt` text,
	FOREIGN KEY (`sessionId`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `tasks_session` ON `tasks` (`sessionId`,`status`);--> statement-breakpoint
CREATE INDEX `tasks_status` ON `tasks` (`status`);--> statement-breakpoint
CREATE INDEX `tasks_source` ON `tasks` (`sourceId`,`status`);--> statement-breakpoint
CREATE TABLE `tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`sha256` text NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`userId` text,
	`workerId` text,
	`sessionId` text,
	`scopes` text NOT NULL,
	`createdAt` text NOT NULL,
	`expiresAt` text,
	`revokedAt` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_sha256_unique` ON `tokens` (`sha256`);--> statement-breakpoint
CREATE INDEX `tokens_worker` ON `tokens` (`workerId`);--> statement-breakpoint
CREATE TABLE `workers` (
	`id` text PRIMARY KEY NOT NULL,
	`sessionId` text NOT NULL,
	`type` text NOT NULL,
	`agentId` text,
	`pid` integer,
	`startTime` text,
	`state` text NOT NULL,
	`exitCode` integer,
	`signal` text,
	`activityState` text NOT NULL,
	`activitySource` text NOT NULL,
	`activitySince` text NOT NULL,
	`confidence` text NOT NULL,
	`logOffset` integer NOT NULL,
	`scanOffset` integer NOT NULL,
	`lastActiveOffset` integer NOT NULL,
	`lastIdleOffset` integer NOT NULL,
	`lastAskingOffset` integer NOT NULL,
	`dirtySince` text,
	`cols` integer NOT NULL,
	`rows` integer NOT NULL,
	`warnings` text NOT NULL,
	`createdAt` text NOT NULL,
	`endedAt` text,
	FOREIGN KEY (`sessionId`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `workers_session` ON `workers` (`sessionId`);--> statement-breakpoint
CREATE INDEX `workers_state` ON `workers` (`state`);--> statement-breakpoint
CREATE TABLE `worktrees` (
	`id` text PRIMARY KEY NOT NULL,
	`repositoryId` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`path` text NOT NULL,
	`branch` text,
	`branchCreated` integer NOT NULL,
	`index` integer,
	`state` text NOT NULL,
	`baseRef` text,
	`baseSha` text,
	`currentSha` text,
	`recoveryRef` text,
	`createdAt` text NOT NULL,
	FOREIGN KEY (`repositoryId`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `worktrees_repository` ON `worktrees` (`repositoryId`,`state`);--> statement-breakpoint
CREATE UNIQUE INDEX `worktrees_path` ON `worktrees` (`path`) WHERE state in ('creating', 'ready', 'removing', 'restoring');--> statement-breakpoint
CREATE UNIQUE INDEX `worktrees_branch` ON `worktrees` (`repositoryId`,`branch`) WHERE branch is not null and kind <> 'main' and state in ('creating', 'ready', 'removing', 'restoring');