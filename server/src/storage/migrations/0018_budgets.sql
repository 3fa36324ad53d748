CREATE TABLE `__new_approvals` (
	`id` text PRIMARY KEY NOT NULL,
	`sessionId` text NOT NULL,
	`workerId` text,
	`orchestrationId` text,
	`taskId` text,
	`text` text NOT NULL,
	`requestId` text,
	`kind` text DEFAULT 'question' NOT NULL,
	`fields` text DEFAULT '[]' NOT NULL,
	`url` text,
	`linkId` text,
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
INSERT INTO `__new_approvals`("id", "sessionId", "workerId", "orchestrationId", "taskId", "text", "requestId", "kind", "fields", "url", "linkId", "tool", "options", "source", "state", "optionId", "answeredBy", "logOffset", "createdAt", "endedAt") SELECT "id", "sessionId", "workerId", NULL, "taskId", "text", "requestId", "kind", "fields", "url", "linkId", "tool", "options", "source", "state", "optionId", "answeredBy", "logOffset", "createdAt", "endedAt" FROM `approvals`;--> statement-breakpoint
DROP TABLE `approvals`;--> statement-breakpoint
ALTER TABLE `__new_approvals` RENAME TO `approvals`;--> statement-breakpoint
CREATE INDEX `approvals_state` ON `approvals` (`state`);--> statement-breakpoint
CREATE INDEX `approvals_worker` ON `approvals` (`workerId`,`state`);