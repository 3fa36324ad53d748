CREATE TABLE `approvals` (
	`id` text PRIMARY KEY NOT NULL,
	`sessionId` text NOT NULL,
	`workerId` text NOT NULL,
	`taskId` text,
	`text` text NOT NULL,
	`tool` text,
	`options` text NOT NULL,
	`source` text NOT NULL,
	`state` text NOT NULL,
	`optionId` text,
	`answeredBy` text,
	`logOffset` integer NOT NULL,
	`createdAt` text NOT NULL,
	`endedAt` text,
	FOREIGN KEY (`workerId`) REFERENCES `workers`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `approvals_state` ON `approvals` (`state`);--> statement-breakpoint
CREATE INDEX `approvals_worker` ON `approvals` (`workerId`,`state`);--> statement-breakpoint
CREATE TABLE `transcripts` (
	`sessionId` text PRIMARY KEY NOT NULL,
	`nativeId` text NOT NULL,
	`place` text NOT NULL,
	`updatedAt` text NOT NULL,
	FOREIGN KEY (`sessionId`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `usage` (
	`id` text PRIMARY KEY NOT NULL,
	`sessionId` text NOT NULL,
	`taskId` text,
	`nativeId` text NOT NULL,
	`inputTokens` integer NOT NULL,
	`outputTokens` integer NOT NULL,
	`cacheReadTokens` integer NOT NULL,
	`costUsd` real,
	`createdAt` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `usage_native` ON `usage` (`sessionId`,`nativeId`);--> statement-breakpoint
CREATE INDEX `usage_task` ON `usage` (`taskId`);--> statement-breakpoint
ALTER TABLE `messages` ADD `nativeId` text;--> statement-breakpoint
CREATE UNIQUE INDEX `messages_native` ON `messages` (`sessionId`,`nativeId`) WHERE "nativeId" is not null;--> statement-breakpoint
ALTER TABLE `workers` ADD `permissionMode` text;