ALTER TABLE `workers` ADD `agentWorkerId` text;--> statement-breakpoint
ALTER TABLE `workers` ADD `outputLimit` integer;--> statement-breakpoint
ALTER TABLE `workers` ADD `messageId` text;