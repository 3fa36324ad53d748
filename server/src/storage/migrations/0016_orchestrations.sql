CREATE TABLE `orchestration_agents` (
	`orchestration_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`role` text NOT NULL,
	`task` text NOT NULL,
	`state` text NOT NULL,
	`dependencies` text NOT NULL,
	`created_at` text NOT NULL,
	`started_at` text,
	`completed_at` text,
	`exit_code` integer,
	`error_message` text,
	`id` text NOT NULL,
	`suffix` text,
	`reason` text,
	`stage` integer NOT NULL,
	`agentic_tool` text,
	`permission_mode` text,
	`allow_failure` integer NOT NULL,
	`max_attempts` integer NOT NULL,
	`timeout_seconds` integer NOT NULL,
	`attempt` integer DEFAULT 0 NOT NULL,
	`session_id` text,
	`task_id` text,
	`worktree_id` text,
	`branch` text,
	`commit` text,
	`progress` real,
	`status` text,
	`summary` text,
	`artifacts` text DEFAULT '[]' NOT NULL,
	PRIMARY KEY(`orchestration_id`, `agent_id`),
	FOREIGN KEY (`orchestration_id`) REFERENCES `orchestrations`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "orchestration_agents_state" CHECK(state in ('pending', 'running', 'paused', 'interrupted', 'completed', 'failed', 'cancelled', 'skipped'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `orchestration_agents_id` ON `orchestration_agents` (`id`);--> statement-breakpoint
CREATE INDEX `orchestration_agents_session` ON `orchestration_agents` (`session_id`);--> statement-breakpoint
CREATE INDEX `orchestration_agents_task` ON `orchestration_agents` (`task_id`);--> statement-breakpoint
CREATE TABLE `orchestration_attempts` (
	`id` text PRIMARY KEY NOT NULL,
	`orchestration_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`attempt` integer NOT NULL,
	`session_id` text NOT NULL,
	`task_id` text NOT NULL,
	`started_at` text NOT NULL,
	`ended_at` text,
	`state` text NOT NULL,
	`reason` text,
	FOREIGN KEY (`orchestration_id`) REFERENCES `orchestrations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `orchestration_attempts_attempt` ON `orchestration_attempts` (`orchestration_id`,`agent_id`,`attempt`,`task_id`);--> statement-breakpoint
CREATE TABLE `orchestrations` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_hash` text NOT NULL,
	`objective` text NOT NULL,
	`strategy` text NOT NULL,
	`state` text NOT NULL,
	`created_at` text NOT NULL,
	`started_at` text,
	`completed_at` text,
	`agent_count` integer DEFAULT 0 NOT NULL,
	`completed_agents` integer DEFAULT 0 NOT NULL,
	`failed_agents` integer DEFAULT 0 NOT NULL,
	`metadata` text DEFAULT '{}' NOT NULL,
	`error_message` text,
	`repository_id` text NOT NULL,
	`created_by_session_id` text,
	`created_by_user_id` text,
	`isolation` text NOT NULL,
	`worktree_id` text,
	`base` text NOT NULL,
	`max_concurrent` integer,
	`on_failure` text NOT NULL,
	`on_interrupted` text NOT NULL,
	`accept_unreported` integer NOT NULL,
	`role_limits` text NOT NULL,
	`budget` text,
	`budget_warned` text DEFAULT '[]' NOT NULL,
	`integrate` text,
	`integration` text,
	`definition` text,
	`paused_by` text,
	`paused_at` text,
	`paused_ms` integer DEFAULT 0 NOT NULL,
	`progress` real DEFAULT 0 NOT NULL,
	`archived_at` text,
	CONSTRAINT "orchestrations_state" CHECK(state in ('created', 'running', 'paused', 'completed', 'failed', 'cancelled')),
	CONSTRAINT "orchestrations_strategy" CHECK(strategy in ('parallel', 'sequential', 'adaptive', 'pipeline'))
);
--> statement-breakpoint
CREATE INDEX `idx_state` ON `orchestrations` (`state`,`id`);--> statement-breakpoint
CREATE INDEX `idx_workspace` ON `orchestrations` (`workspace_hash`,`id`);--> statement-breakpoint
CREATE INDEX `idx_created` ON `orchestrations` (`created_at`);--> statement-breakpoint
CREATE INDEX `orchestrations_creator` ON `orchestrations` (`created_by_session_id`,`state`);--> statement-breakpoint
ALTER TABLE `sessions` ADD `orchestrationId` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `budget` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `budgetWarned` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `notices` ADD `aboutOrchestrationId` text;--> statement-breakpoint
ALTER TABLE `tasks` ADD `waitingUntil` text;--> statement-breakpoint
CREATE INDEX `events_subject` ON `events` (`subjectId`,`seq`);--> statement-breakpoint
CREATE VIEW `orchestration_events` AS SELECT `seq` AS `id`, `subjectId` AS `orchestration_id`, `at` AS `timestamp`, `type` AS `event_type`, json_extract(`data`, '$.agentId') AS `agent_id`, `data` FROM `events` WHERE `subjectKind` = 'orchestration';
