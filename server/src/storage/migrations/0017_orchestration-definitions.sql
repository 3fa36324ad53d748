CREATE TABLE `orchestration_definitions` (
	`id` text PRIMARY KEY NOT NULL,
	`repository_id` text NOT NULL,
	`content_hash` text NOT NULL,
	`name` text NOT NULL,
	`accepted_by` text NOT NULL,
	`accepted_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `orchestration_definitions_text` ON `orchestration_definitions` (`repository_id`,`content_hash`);