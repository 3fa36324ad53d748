ALTER TABLE `sessions` ADD `optionValues` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `approvals` ADD `acceptsText` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `approvals` ADD `answerText` text;--> statement-breakpoint
ALTER TABLE `workers` ADD `agentWorkerId` text;