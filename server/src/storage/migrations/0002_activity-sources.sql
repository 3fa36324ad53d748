ALTER TABLE `workers` ADD `disputed` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `workers` ADD `signalsOffset` integer DEFAULT 0 NOT NULL;