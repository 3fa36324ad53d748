CREATE INDEX `audit_at` ON `audit` (`at`);--> statement-breakpoint
CREATE INDEX `audit_session` ON `audit` (`sessionId`,`id`);--> statement-breakpoint
CREATE INDEX `audit_operation` ON `audit` (`operation`,`id`);--> statement-breakpoint
CREATE INDEX `audit_result` ON `audit` (`result`,`id`);