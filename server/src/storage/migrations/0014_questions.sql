ALTER TABLE `approvals` ADD `kind` text DEFAULT 'question' NOT NULL;--> statement-breakpoint
ALTER TABLE `approvals` ADD `fields` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `approvals` ADD `url` text;--> statement-breakpoint
ALTER TABLE `approvals` ADD `linkId` text;