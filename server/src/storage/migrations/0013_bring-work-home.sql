CREATE TABLE `integrations` (
	`id` text PRIMARY KEY NOT NULL,
	`repositoryId` text NOT NULL,
	`worktreeId` text NOT NULL,
	`jobId` text,
	`strategy` text NOT NULL,
	`branch` text NOT NULL,
	`sourceSha` text NOT NULL,
	`into` text NOT NULL,
	`beforeSha` text NOT NULL,
	`afterSha` text,
	`state` text NOT NULL,
	`undoing` integer DEFAULT false NOT NULL,
	`conflicts` text NOT NULL,
	`cleanup` text,
	`resolvingSessionId` text,
	`errorCode` text,
	`errorMessage` text,
	`createdAt` text NOT NULL,
	`endedAt` text,
	`createdBy` text,
	`viaSessionId` text,
	FOREIGN KEY (`repositoryId`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`worktreeId`) REFERENCES `worktrees`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `integrations_repository` ON `integrations` (`repositoryId`,`createdAt`);--> statement-breakpoint
CREATE INDEX `integrations_worktree` ON `integrations` (`worktreeId`,`createdAt`);--> statement-breakpoint
CREATE INDEX `integrations_state` ON `integrations` (`state`);--> statement-breakpoint
CREATE TABLE `overlaps` (
	`id` text PRIMARY KEY NOT NULL,
	`repositoryId` text NOT NULL,
	`worktreeId` text NOT NULL,
	`otherWorktreeId` text NOT NULL,
	`files` text NOT NULL,
	`toldAt` text,
	`computedAt` text NOT NULL,
	`createdAt` text NOT NULL,
	FOREIGN KEY (`repositoryId`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`worktreeId`) REFERENCES `worktrees`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`otherWorktreeId`) REFERENCES `worktrees`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `overlaps_repository` ON `overlaps` (`repositoryId`);--> statement-breakpoint
CREATE UNIQUE INDEX `overlaps_pair` ON `overlaps` (`worktreeId`,`otherWorktreeId`);--> statement-breakpoint
CREATE TABLE `worktree_checks` (
	`id` text PRIMARY KEY NOT NULL,
	`repositoryId` text NOT NULL,
	`worktreeId` text NOT NULL,
	`jobId` text NOT NULL,
	`commit` text NOT NULL,
	`clean` integer NOT NULL,
	`command` text NOT NULL,
	`state` text NOT NULL,
	`exitCode` integer,
	`workerId` text,
	`createdAt` text NOT NULL,
	`endedAt` text,
	`createdBy` text,
	`viaSessionId` text,
	FOREIGN KEY (`repositoryId`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`worktreeId`) REFERENCES `worktrees`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `worktree_checks_commit` ON `worktree_checks` (`repositoryId`,`commit`);--> statement-breakpoint
CREATE INDEX `worktree_checks_worktree` ON `worktree_checks` (`worktreeId`,`state`);--> statement-breakpoint
ALTER TABLE `repositories` ADD `pullRequestCommand` text;--> statement-breakpoint
ALTER TABLE `repositories` ADD `agentsMayIntegrate` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `repositories` ADD `runHooks` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `worktrees` ADD `gitStatus` text;--> statement-breakpoint
ALTER TABLE `worktrees` ADD `pullRequest` text;