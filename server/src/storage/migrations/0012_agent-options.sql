ALTER TABLE `sessions` ADD `optionValues` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `workers` ADD `clientServers` text;