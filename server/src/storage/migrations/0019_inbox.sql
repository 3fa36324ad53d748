CREATE TABLE `marks` (
	`id` text PRIMARY KEY NOT NULL,
	`userId` text NOT NULL,
	`subjectKind` text NOT NULL,
	`subjectId` text NOT NULL,
	`readUntil` text,
	`pinnedAt` text
);
--> statement-breakpoint
CREATE INDEX `marks_user` ON `marks` (`userId`);--> statement-breakpoint
CREATE INDEX `marks_subject` ON `marks` (`subjectId`);--> statement-breakpoint
ALTER TABLE `sessions` ADD `labels` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
INSERT INTO `marks` (`id`, `userId`, `subjectKind`, `subjectId`, `readUntil`) SELECT `users`.`id` || ' ' || `sessions`.`id`, `users`.`id`, 'session', `sessions`.`id`, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 day') FROM `sessions`, `users` WHERE `sessions`.`removedAt` IS NULL AND `users`.`removedAt` IS NULL;--> statement-breakpoint
INSERT INTO `marks` (`id`, `userId`, `subjectKind`, `subjectId`, `readUntil`) SELECT `users`.`id` || ' ' || `orchestrations`.`id`, `users`.`id`, 'orchestration', `orchestrations`.`id`, strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 day') FROM `orchestrations`, `users` WHERE `users`.`removedAt` IS NULL;
