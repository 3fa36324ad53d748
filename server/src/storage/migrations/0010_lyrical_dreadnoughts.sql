ALTER TABLE `approvals` ADD `requestId` text;--> statement-breakpoint
ALTER TABLE `workers` ADD `protocol` text;