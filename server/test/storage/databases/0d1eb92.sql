-- A database as build 0d1eb92 left it: every table filled through the product, its folder replaced by /srv.
PRAGMA foreign_keys = OFF;
BEGIN;
CREATE TABLE "__drizzle_migrations" (
				id SERIAL PRIMARY KEY,
				hash text NOT NULL,
				created_at numeric
			);
CREATE TABLE `agents` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`command` text NOT NULL,
	`env` text NOT NULL,
	`queueWhenUnknown` text NOT NULL,
	`createdAt` text NOT NULL
, `kind` text DEFAULT 'custom' NOT NULL);
CREATE TABLE `audit` (
	`id` text PRIMARY KEY NOT NULL,
	`at` text NOT NULL,
	`actor` text NOT NULL,
	`sessionId` text,
	`surface` text NOT NULL,
	`operation` text NOT NULL,
	`result` text NOT NULL,
	`milliseconds` real NOT NULL
, `userId` text);
CREATE TABLE `delegations` (
	`id` text PRIMARY KEY NOT NULL,
	`parentSessionId` text,
	`repositoryId` text NOT NULL,
	`sessionId` text NOT NULL,
	`workerId` text NOT NULL,
	`taskId` text NOT NULL,
	`worktreeId` text NOT NULL,
	`worktreePath` text NOT NULL,
	`branch` text NOT NULL,
	`base` text NOT NULL,
	`useRemote` integer NOT NULL,
	`state` text NOT NULL,
	`failedStep` text,
	`errorCode` text,
	`errorMessage` text,
	`warnings` text NOT NULL,
	`notify` integer NOT NULL,
	`answered` integer NOT NULL,
	`createdAt` text NOT NULL,
	`updatedAt` text NOT NULL
);
CREATE TABLE `events` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` text NOT NULL,
	`type` text NOT NULL,
	`subjectKind` text NOT NULL,
	`subjectId` text NOT NULL,
	`sessionId` text,
	`actor` text NOT NULL,
	`viaSessionId` text,
	`data` text NOT NULL
);
CREATE TABLE `idempotency` (
	`caller` text NOT NULL,
	`operation` text NOT NULL,
	`key` text NOT NULL,
	`bodySha256` text NOT NULL,
	`output` text NOT NULL,
	`delivered` integer,
	`createdAt` text NOT NULL,
	PRIMARY KEY(`caller`, `operation`, `key`)
);
CREATE TABLE `inputs` (
	`id` text PRIMARY KEY NOT NULL,
	`workerId` text NOT NULL,
	`taskId` text,
	`kind` text NOT NULL,
	`text` text NOT NULL,
	`state` text NOT NULL,
	`pastedOffset` integer,
	`submittedOffset` integer,
	`acceptedBy` text,
	`createdAt` text NOT NULL,
	`submittedAt` text,
	FOREIGN KEY (`workerId`) REFERENCES `workers`(`id`) ON UPDATE no action ON DELETE no action
);
CREATE TABLE `jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`state` text NOT NULL,
	`fraction` real NOT NULL,
	`phase` text NOT NULL,
	`params` text NOT NULL,
	`result` text,
	`error` text,
	`actor` text NOT NULL,
	`createdAt` text NOT NULL,
	`endedAt` text
);
CREATE TABLE `login_codes` (
	`sha256` text PRIMARY KEY NOT NULL,
	`userId` text NOT NULL,
	`expiresAt` text NOT NULL
);
CREATE TABLE `mcp_sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`record` text NOT NULL,
	`createdAt` text NOT NULL,
	`lastUsedAt` text NOT NULL
);
CREATE TABLE `messages` (
	`id` text PRIMARY KEY NOT NULL,
	`sessionId` text NOT NULL,
	`taskId` text,
	`seq` integer NOT NULL,
	`role` text NOT NULL,
	`kind` text NOT NULL,
	`parts` text NOT NULL,
	`source` text NOT NULL,
	`logOffset` integer,
	`createdAt` text NOT NULL
, `nativeId` text);
CREATE TABLE `meta` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
CREATE TABLE `notices` (
	`id` text PRIMARY KEY NOT NULL,
	`sessionId` text NOT NULL,
	`kind` text NOT NULL,
	`aboutSessionId` text NOT NULL,
	`aboutTaskId` text,
	`aboutDelegationId` text,
	`title` text NOT NULL,
	`status` text,
	`outcomeSource` text,
	`certain` integer,
	`summary` text NOT NULL,
	`state` text NOT NULL,
	`taskId` text,
	`createdAt` text NOT NULL,
	`deliveredAt` text
);
CREATE TABLE `repositories` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`path` text NOT NULL,
	`commonDir` text NOT NULL,
	`url` text,
	`defaultBranch` text NOT NULL,
	`setupCommand` text,
	`cleanupCommand` text,
	`checkCommand` text,
	`worktreesDir` text NOT NULL,
	`nextIndex` integer NOT NULL,
	`createdAt` text NOT NULL,
	`removedAt` text
);
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`worktreeId` text,
	`repositoryId` text,
	`cwd` text NOT NULL,
	`agentId` text NOT NULL,
	`title` text NOT NULL,
	`description` text NOT NULL,
	`mark` text NOT NULL,
	`pausedBy` text,
	`queueHeld` integer NOT NULL,
	`permissionMode` text NOT NULL,
	`requestedMode` text,
	`permissionCeiling` text NOT NULL,
	`parentSessionId` text,
	`forkedFromSessionId` text,
	`spawnPointTaskId` text,
	`forkPointTaskId` text,
	`depth` integer NOT NULL,
	`createdByUserId` text,
	`createdBySessionId` text,
	`viaSessionId` text,
	`nativeId` text,
	`begun` integer NOT NULL,
	`messageCount` integer NOT NULL,
	`createdAt` text NOT NULL,
	`updatedAt` text NOT NULL,
	`archivedAt` text,
	`removedAt` text, `visibility` text DEFAULT 'workspace' NOT NULL, `contextFiles` text DEFAULT '[]' NOT NULL,
	FOREIGN KEY (`worktreeId`) REFERENCES `worktrees`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`repositoryId`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action
);
CREATE TABLE `settings` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
CREATE TABLE `tasks` (
	`id` text PRIMARY KEY NOT NULL,
	`sessionId` text NOT NULL,
	`kind` text NOT NULL,
	`prompt` text NOT NULL,
	`status` text NOT NULL,
	`waitingFor` text,
	`outcomeSource` text,
	`certain` integer,
	`sourceKind` text NOT NULL,
	`sourceId` text,
	`notifyOnCompletion` integer NOT NULL,
	`delegationId` text,
	`position` real NOT NULL,
	`blocked` text,
	`sendNow` integer NOT NULL,
	`quietSince` text,
	`remindedAt` text,
	`summary` text,
	`artifacts` text NOT NULL,
	`errorCode` text,
	`errorMessage` text,
	`usage` text,
	`version` integer NOT NULL,
	`createdAt` text NOT NULL,
	`startedAt` text,
	`endedAt` text, `createdBy` text, `viaSessionId` text,
	FOREIGN KEY (`sessionId`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE no action
);
CREATE TABLE `tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`sha256` text NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`userId` text,
	`workerId` text,
	`sessionId` text,
	`scopes` text NOT NULL,
	`createdAt` text NOT NULL,
	`expiresAt` text,
	`revokedAt` text
, `createdBy` text, `viaSessionId` text);
CREATE TABLE `workers` (
	`id` text PRIMARY KEY NOT NULL,
	`sessionId` text NOT NULL,
	`type` text NOT NULL,
	`agentId` text,
	`pid` integer,
	`startTime` text,
	`state` text NOT NULL,
	`exitCode` integer,
	`signal` text,
	`activityState` text NOT NULL,
	`activitySource` text NOT NULL,
	`activitySince` text NOT NULL,
	`confidence` text NOT NULL,
	`logOffset` integer NOT NULL,
	`scanOffset` integer NOT NULL,
	`lastActiveOffset` integer NOT NULL,
	`lastIdleOffset` integer NOT NULL,
	`lastAskingOffset` integer NOT NULL,
	`dirtySince` text,
	`cols` integer NOT NULL,
	`rows` integer NOT NULL,
	`warnings` text NOT NULL,
	`createdAt` text NOT NULL,
	`endedAt` text, `disputed` text DEFAULT '[]' NOT NULL, `signalsOffset` integer DEFAULT 0 NOT NULL, `permissionMode` text,
	FOREIGN KEY (`sessionId`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE no action
);
CREATE TABLE `worktrees` (
	`id` text PRIMARY KEY NOT NULL,
	`repositoryId` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`path` text NOT NULL,
	`branch` text,
	`branchCreated` integer NOT NULL,
	`index` integer,
	`state` text NOT NULL,
	`baseRef` text,
	`baseSha` text,
	`currentSha` text,
	`recoveryRef` text,
	`createdAt` text NOT NULL, `boardId` text, `zoneId` text, `x` real, `y` real, `createdBy` text, `viaSessionId` text,
	FOREIGN KEY (`repositoryId`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action
);
CREATE TABLE `approvals` (
	`id` text PRIMARY KEY NOT NULL,
	`sessionId` text NOT NULL,
	`workerId` text NOT NULL,
	`taskId` text,
	`text` text NOT NULL,
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
CREATE TABLE `transcripts` (
	`sessionId` text PRIMARY KEY NOT NULL,
	`nativeId` text NOT NULL,
	`place` text NOT NULL,
	`updatedAt` text NOT NULL,
	FOREIGN KEY (`sessionId`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE no action
);
CREATE TABLE `usage` (
	`id` text PRIMARY KEY NOT NULL,
	`sessionId` text NOT NULL,
	`taskId` text,
	`nativeId` text NOT NULL,
	`inputTokens` integer NOT NULL,
	`outputTokens` integer NOT NULL,
	`cacheReadTokens` integer NOT NULL,
	`costUsd` real,
	`createdAt` text NOT NULL
);
CREATE TABLE `boards` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`ownerId` text NOT NULL,
	`createdAt` text NOT NULL,
	`removedAt` text,
	`createdBy` text,
	`viaSessionId` text
);
CREATE TABLE `mcp_servers` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`ownerId` text NOT NULL,
	`transport` text NOT NULL,
	`url` text,
	`command` text,
	`headers` text NOT NULL,
	`env` text NOT NULL,
	`createdAt` text NOT NULL,
	`removedAt` text
);
CREATE TABLE `session_mcp_servers` (
	`id` text PRIMARY KEY NOT NULL,
	`sessionId` text NOT NULL,
	`mcpServerId` text NOT NULL,
	`createdAt` text NOT NULL,
	FOREIGN KEY (`sessionId`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`mcpServerId`) REFERENCES `mcp_servers`(`id`) ON UPDATE no action ON DELETE no action
);
CREATE TABLE `users` (
	`id` text PRIMARY KEY NOT NULL,
	`username` text,
	`email` text,
	`avatarUrl` text,
	`createdAt` text NOT NULL,
	`removedAt` text,
	`createdBy` text,
	`viaSessionId` text
);
CREATE TABLE `zones` (
	`id` text PRIMARY KEY NOT NULL,
	`boardId` text NOT NULL,
	`name` text NOT NULL,
	`color` text NOT NULL,
	`x` real NOT NULL,
	`y` real NOT NULL,
	`width` real NOT NULL,
	`height` real NOT NULL,
	`createdAt` text NOT NULL,
	`createdBy` text,
	`viaSessionId` text,
	FOREIGN KEY (`boardId`) REFERENCES `boards`(`id`) ON UPDATE no action ON DELETE no action
);
CREATE TABLE `search_documents` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`sourceId` text NOT NULL,
	`sessionId` text NOT NULL
);
INSERT INTO "__drizzle_migrations" VALUES(NULL,'d47f2d9a44b26ef5f6487bee80406b623e5e9647562163d57a4012bea77ab777',1795306100529);
INSERT INTO "__drizzle_migrations" VALUES(NULL,'725fe7409ff0b872a8bc71487433563f917eef3ac83d17b33b4efc02869f51f2',1795314982623);
INSERT INTO "__drizzle_migrations" VALUES(NULL,'cf794c78771772f09e73fe9d93e1d6e33a74b9e09c17639556c72e0ebf63ceab',1795318276392);
INSERT INTO "__drizzle_migrations" VALUES(NULL,'44eaa03002c10b4bda9cbfb6b1b8cbb0e278a3fe27f451c24b8ed799658c5f02',1795322779370);
INSERT INTO "__drizzle_migrations" VALUES(NULL,'834a03d8e60c782024a25b48c488096e85475fb433f55074b0d418be40667256',1795331903123);
INSERT INTO "__drizzle_migrations" VALUES(NULL,'b3c32af298f91f1298481171f58814c8f705a31a46ceaf1c83161cd5ae29e06e',1795336868820);
INSERT INTO "agents" VALUES('shell','Shell','["sh","-c","cat"]','["SOME_NAME"]','hold','2026-11-22T17:40:19.691Z','custom');
INSERT INTO "audit" VALUES('01a20458-33d8-73f8-a97a-33ce63e62974','2026-11-22T17:40:19.032Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','repositories.create','ok',39.16681,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-33ff-7124-ad79-240eb7c3fbca','2026-11-22T17:40:19.071Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','settings.update','ok',1.27578999999997222e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-34a2-7aea-b4a4-70992772fc54','2026-11-22T17:40:19.234Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','delegations.create','ok',1.56136906999999951e+02,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-3662-7ac9-959c-cf294330e048','2026-11-22T17:40:19.682Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','settings.update','ok',2.66497900000013032e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-3671-76b5-b761-7d146d53bc3d','2026-11-22T17:40:19.697Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','agents.create','ok',7.14272800000003371e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-367c-7c8d-90e2-a3e23d1dc59a','2026-11-22T17:40:19.708Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','users.create','ok',3.21080200000005788e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-3683-7f73-871d-9f24cb15cbff','2026-11-22T17:40:19.715Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','users.create','ok',1.17698500000005878e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-368b-71ea-b1c4-eb9f85cbcdf9','2026-11-22T17:40:19.723Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','users.remove','ok',5.08757199999990916e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-3691-71ae-92a5-b85743939dde','2026-11-22T17:40:19.729Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','login.open','ok',5.397490000000289e-01,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-3695-7fcf-b89f-c7755c32564f','2026-11-22T17:40:19.733Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','login.redeem','ok',1.2998410000000149e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-3697-7621-adb6-7e5ca9a54400','2026-11-22T17:40:19.735Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','login.open','ok',3.11345999999957712e-01,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-369b-7be8-a743-3b807019a4ac','2026-11-22T17:40:19.739Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','login.redeem','ok',6.41390000000001236e-01,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-36a4-7410-9b67-0abba11a9412','2026-11-22T17:40:19.748Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','tokens.create','ok',8.20457000000033076e-01,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-36a7-7f05-aef1-8ccd574b2b1e','2026-11-22T17:40:19.751Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','tokens.create','ok',4.33774999999968713e-01,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-36b4-7c79-816f-a7aa9824ae29','2026-11-22T17:40:19.764Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','tokens.create','ok',1.05476699999985612e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-36b7-73c4-8c36-273bba201b91','2026-11-22T17:40:19.767Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','tokens.create','ok',4.79342000000087864e-01,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-36bb-7cc6-9963-61693850dd87','2026-11-22T17:40:19.771Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','tokens.revoke','ok',2.22172599999998965e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-36bf-75d7-b6a7-e09ba9a7ce9b','2026-11-22T17:40:19.775Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','tokens.create','ok',6.83139999999866631e-01,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-36c5-7d43-808e-394a5f1128cf','2026-11-22T17:40:19.781Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','login.open','ok',4.38711000000012063e-01,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-3706-7b5c-9e53-89df1f2f3d71','2026-11-22T17:40:19.846Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','repositories.create','ok',4.58724959999999555e+01,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-370c-7370-a25d-5695b4e58e0b','2026-11-22T17:40:19.853Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','repositories.remove','ok',2.64748899999995046e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-3710-7603-af95-833bdf0848cd','2026-11-22T17:40:19.856Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','repositories.update','ok',7.88753999999926236e-01,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-371b-79df-a108-a090c7010709','2026-11-22T17:40:19.867Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','boards.create','ok',8.24275800000009439e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-371f-7408-a5e8-b062f519bc83','2026-11-22T17:40:19.871Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','zones.create','ok',1.7114400000000387e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-372f-7432-a70f-dd9289d05592','2026-11-22T17:40:19.887Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','worktrees.create','ok',1.20663150000000314e+01,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-376e-7e76-89db-eb7760b60e32','2026-11-22T17:40:19.950Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','worktrees.update','ok',2.83168799999998554e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-3776-71c5-b4a8-56b064e8d910','2026-11-22T17:40:19.958Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','worktrees.create','ok',3.40710500000000138e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-37d2-7071-842a-748c1a49fa7a','2026-11-22T17:40:20.050Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','worktrees.remove','ok',6.21484720000000834e+01,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-37d6-7e00-b649-dca266a51967','2026-11-22T17:40:20.054Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','boards.create','ok',1.16087999999990643e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-37da-76d2-88e2-e9ca11d2eab8','2026-11-22T17:40:20.058Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','boards.remove','ok',1.45472900000004301e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-37e0-7517-8ed9-f7eb509c6748','2026-11-22T17:40:20.064Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','mcpServers.create','ok',2.0220440000000508e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-37e5-716b-96ed-be603578d3b3','2026-11-22T17:40:20.069Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','mcpServers.create','ok',2.42540800000006129e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-37e9-7011-97ea-5ebe71ffce3f','2026-11-22T17:40:20.073Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','mcpServers.remove','ok',1.77747399999998378e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-37ef-7bdb-bb85-e9ca264762c7','2026-11-22T17:40:20.079Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','sessions.create','ok',3.27175199999987853e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-37f6-7481-990e-bf8daf4af75f','2026-11-22T17:40:20.086Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','sessions.prompt','ok',3.85694499999999607e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-3903-7709-9118-56094a4f549b','2026-11-22T17:40:20.355Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','sessions.stop','ok',3.6011839000000009e+01,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-390e-75f8-8f65-51595d50f0ba','2026-11-22T17:40:20.366Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','sessions.archive','ok',1.92646000000013373e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-3923-7dd6-af1d-fcb6078f5437','2026-11-22T17:40:20.387Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','sessions.create','ok',1.5403189999999995e+01,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-3a31-741c-8f5a-e923b3aafb4f','2026-11-22T17:40:20.657Z','user:01a20458-367b-7a65-aafb-787368964377',NULL,'rest','sessions.create','ok',5.58428300000014132e+00,'01a20458-367b-7a65-aafb-787368964377');
INSERT INTO "audit" VALUES('01a20458-3a3c-7be1-bf57-f171c8cbcb05','2026-11-22T17:40:20.668Z','session:01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','rest','sessions.create','ok',6.29542799999990165e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-3a4d-7b19-bc30-8afbdffa931f','2026-11-22T17:40:20.685Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','sessions.prompt','ok',2.60878399999978682e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-3b29-7566-802c-d0e7e8e5bf23','2026-11-22T17:40:20.905Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','sessions.fork','ok',4.84365000000025247e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-3d75-788f-8527-2ee8801f7284','2026-11-22T17:40:21.493Z','session:01a20458-3b2f-724f-a793-5e1c03657693','01a20458-3b2f-724f-a793-5e1c03657693','mcp','sessions.report','ok',1.10456120000003465e+01,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-3d75-788f-8527-2ee950cabc75','2026-11-22T17:40:21.493Z','session:01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','rest','sessions.spawn','ok',585.637424,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-3dc7-7842-882d-071cb8982799','2026-11-22T17:40:21.575Z','session:01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','rest','delegations.create','ok',6.15321770000000469e+01,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-3fdf-7879-8db1-0b8e143df985','2026-11-22T17:40:22.111Z','session:01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','mcp','sessions.report','ok',2.85933100000011108e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-4006-70dd-b0c9-a608032cabfb','2026-11-22T17:40:22.150Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','sessions.create','ok',4.71433200000001306e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-400e-719c-9fbf-5bcdd791d2e3','2026-11-22T17:40:22.158Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','sessions.remove','ok',1.9177429999999731e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-4018-7040-b788-c60d384ef21b','2026-11-22T17:40:22.168Z','session:01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','rest','sessions.create','ok',3.20141300000022965e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-401d-7440-87c5-a5d30174f726','2026-11-22T17:40:22.173Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','sessions.prompt','ok',2.1325699999997596e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-40f6-7df8-9e04-573815921806','2026-11-22T17:40:22.390Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','sessions.prompt','ok',2.99504600000000209e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-40fb-752b-b6b1-3a68b7aaf7ba','2026-11-22T17:40:22.395Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','sessions.prompt','ok',1.78996400000005451e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-4102-72b4-b47b-1ace98846a9a','2026-11-22T17:40:22.402Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','tasks.cancel','ok',1.79823800000031042e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-4109-7a1e-93cf-8c2024aaf368','2026-11-22T17:40:22.409Z','session:01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','rest','sessions.create','ok',3.49921900000026653e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-410d-7e75-9cc1-caf127f31da2','2026-11-22T17:40:22.413Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','sessions.prompt','ok',1.96866900000031819e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-43a3-7c1a-a474-5763a62928f7','2026-11-22T17:40:23.075Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','approvals.answer','ok',8.15941399999974237e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-43af-7512-9dab-3961db79ac59','2026-11-22T17:40:23.087Z','session:01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','rest','sessions.create','ok',3.3727469999994355e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-43b7-7e9a-8ed2-98818304502c','2026-11-22T17:40:23.095Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','sessions.prompt','ok',2.19196400000055291e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "audit" VALUES('01a20458-45dc-72d2-bb56-d288ea66e3e1','2026-11-22T17:40:23.644Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'rest','workers.create','ok',9.99558900000010908e+00,'01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "delegations" VALUES('01a20458-340c-7a68-9e97-89522c01823f',NULL,'01a20458-33d5-775d-92ac-b57f15087465','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340d-7fb4-b60d-080b94470dda','01a20458-340d-7fb4-b60d-080a71ee528d','01a20458-340a-768b-b564-50d90acd50be','/srv/console/repositories/local/shop/worktrees/wt-001-71e5','given-1','main',0,'handed_over',NULL,NULL,NULL,'[]',1,0,'2026-11-22T17:40:19.085Z','2026-11-22T17:40:19.494Z');
INSERT INTO "delegations" VALUES('01a20458-3d9d-7aa8-a037-2b1f54706845','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-33d5-775d-92ac-b57f15087465','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','01a20458-3d9d-7aa8-a037-2b228abce95f','01a20458-3d9d-7aa8-a037-2b218aede94d','01a20458-3d9c-7713-bd96-aa7199a93039','/srv/console/repositories/local/shop/worktrees/wt-004-8348','given-kept','main',0,'handed_over',NULL,NULL,NULL,'[]',1,0,'2026-11-22T17:40:21.533Z','2026-11-22T17:40:21.749Z');
INSERT INTO "events" VALUES(1,'2026-11-22T17:40:18.878Z','server.started','server','server',NULL,'system',NULL,'{"pid":10935,"port":43323,"version":"0.1.0"}');
INSERT INTO "events" VALUES(2,'2026-11-22T17:40:19.031Z','repository.registered','repository','01a20458-33d5-775d-92ac-b57f15087465',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"repositoryId":"01a20458-33d5-775d-92ac-b57f15087465","name":"shop"}');
INSERT INTO "events" VALUES(3,'2026-11-22T17:40:19.070Z','settings.updated','settings','settings',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"delegationChildren":100,"liveSessions":500}');
INSERT INTO "events" VALUES(4,'2026-11-22T17:40:19.084Z','session.created','session','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"title":"@say one","agentId":"scripted","worktreeId":"01a20458-340a-768b-b564-50d90acd50be","parentSessionId":null}');
INSERT INTO "events" VALUES(5,'2026-11-22T17:40:19.085Z','task.queued','task','01a20458-340d-7fb4-b60d-080a71ee528d','01a20458-340b-70ee-8488-9c0471ee1ac3','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"status":"queued","kind":"prompt"}');
INSERT INTO "events" VALUES(6,'2026-11-22T17:40:19.085Z','delegation.requested','delegation','01a20458-340c-7a68-9e97-89522c01823f','01a20458-340b-70ee-8488-9c0471ee1ac3','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"parentSessionId":null,"branch":"given-1","taskId":"01a20458-340d-7fb4-b60d-080a71ee528d","worktreeId":"01a20458-340a-768b-b564-50d90acd50be"}');
INSERT INTO "events" VALUES(7,'2026-11-22T17:40:19.122Z','delegation.advanced','delegation','01a20458-340c-7a68-9e97-89522c01823f','01a20458-340b-70ee-8488-9c0471ee1ac3','system',NULL,'{"state":"creating_worktree","parentSessionId":null}');
INSERT INTO "events" VALUES(8,'2026-11-22T17:40:19.193Z','worktree.created','worktree','01a20458-340a-768b-b564-50d90acd50be',NULL,'system',NULL,'{"worktreeId":"01a20458-340a-768b-b564-50d90acd50be","repositoryId":"01a20458-33d5-775d-92ac-b57f15087465","branch":"given-1","path":"/srv/console/repositories/local/shop/worktrees/wt-001-71e5"}');
INSERT INTO "events" VALUES(9,'2026-11-22T17:40:19.194Z','delegation.advanced','delegation','01a20458-340c-7a68-9e97-89522c01823f','01a20458-340b-70ee-8488-9c0471ee1ac3','system',NULL,'{"state":"starting_agent","parentSessionId":null}');
INSERT INTO "events" VALUES(10,'2026-11-22T17:40:19.219Z','worker.started','worker','01a20458-340d-7fb4-b60d-080b94470dda','01a20458-340b-70ee-8488-9c0471ee1ac3','system',NULL,'{"workerType":"agent","pid":10973,"logOffset":0}');
INSERT INTO "events" VALUES(11,'2026-11-22T17:40:19.233Z','task.started','task','01a20458-340d-7fb4-b60d-080a71ee528d','01a20458-340b-70ee-8488-9c0471ee1ac3','system',NULL,'{"status":"running","kind":"prompt"}');
INSERT INTO "events" VALUES(12,'2026-11-22T17:40:19.233Z','delegation.advanced','delegation','01a20458-340c-7a68-9e97-89522c01823f','01a20458-340b-70ee-8488-9c0471ee1ac3','system',NULL,'{"state":"prompting","parentSessionId":null}');
INSERT INTO "events" VALUES(13,'2026-11-22T17:40:19.346Z','activity.changed','worker','01a20458-340d-7fb4-b60d-080b94470dda','01a20458-340b-70ee-8488-9c0471ee1ac3','system',NULL,'{"activityState":"idle","activitySource":"title","confidence":"likely","disputed":[],"logOffset":246}');
INSERT INTO "events" VALUES(14,'2026-11-22T17:40:19.489Z','conversation.grown','session','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','system',NULL,'{"count":2}');
INSERT INTO "events" VALUES(15,'2026-11-22T17:40:19.491Z','input.accepted','worker','01a20458-340d-7fb4-b60d-080b94470dda','01a20458-340b-70ee-8488-9c0471ee1ac3','system',NULL,'{"inputId":"01a20458-34b2-7915-85b8-cbae0ad423ec","taskId":"01a20458-340d-7fb4-b60d-080a71ee528d","source":"title"}');
INSERT INTO "events" VALUES(16,'2026-11-22T17:40:19.492Z','task.ended','task','01a20458-340d-7fb4-b60d-080a71ee528d','01a20458-340b-70ee-8488-9c0471ee1ac3','system',NULL,'{"status":"completed","kind":"prompt","outcomeSource":"title","certain":false}');
INSERT INTO "events" VALUES(17,'2026-11-22T17:40:19.494Z','delegation.advanced','delegation','01a20458-340c-7a68-9e97-89522c01823f','01a20458-340b-70ee-8488-9c0471ee1ac3','system',NULL,'{"state":"handed_over","parentSessionId":null}');
INSERT INTO "events" VALUES(18,'2026-11-22T17:40:19.682Z','settings.updated','settings','settings',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"defaultAgentId":"scripted","reminderSeconds":61}');
INSERT INTO "events" VALUES(19,'2026-11-22T17:40:19.691Z','agent.created','agent','shell',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{}');
INSERT INTO "events" VALUES(20,'2026-11-22T17:40:19.707Z','user.created','user','01a20458-367b-7a65-aafb-787368964377',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"username":"Ann"}');
INSERT INTO "events" VALUES(21,'2026-11-22T17:40:19.715Z','user.created','user','01a20458-3683-7f73-871d-9f23b748da18',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"username":"Gone"}');
INSERT INTO "events" VALUES(22,'2026-11-22T17:40:19.723Z','user.removed','user','01a20458-3683-7f73-871d-9f23b748da18',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"username":"Gone"}');
INSERT INTO "events" VALUES(23,'2026-11-22T17:40:19.732Z','token.created','token','01a20458-3694-7544-b0ce-32e357f6038e',NULL,'login',NULL,'{"name":"dashboard"}');
INSERT INTO "events" VALUES(24,'2026-11-22T17:40:19.738Z','token.created','token','01a20458-369a-782a-ad04-fcf8f6779c64',NULL,'login',NULL,'{"name":"dashboard"}');
INSERT INTO "events" VALUES(25,'2026-11-22T17:40:19.748Z','token.created','token','01a20458-36a4-7410-9b67-0aba7f83913c',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"name":"nightly script","scopes":["read","write"],"userId":"01a20458-331c-7b7d-ad72-be23cc9b6746"}');
INSERT INTO "events" VALUES(26,'2026-11-22T17:40:19.751Z','token.created','token','01a20458-36a7-7f05-aef1-8ccc231f8725',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"name":"dashboard","scopes":["read","write"],"userId":"01a20458-331c-7b7d-ad72-be23cc9b6746"}');
INSERT INTO "events" VALUES(27,'2026-11-22T17:40:19.763Z','token.created','token','01a20458-36b3-75da-9f98-d7a458ab2002',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"name":"for a year","scopes":["read","write"],"userId":"01a20458-331c-7b7d-ad72-be23cc9b6746"}');
INSERT INTO "events" VALUES(28,'2026-11-22T17:40:19.767Z','token.created','token','01a20458-36b7-73c4-8c36-273a8764e133',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"name":"revoked","scopes":["read","write"],"userId":"01a20458-331c-7b7d-ad72-be23cc9b6746"}');
INSERT INTO "events" VALUES(29,'2026-11-22T17:40:19.771Z','token.revoked','token','01a20458-36b7-73c4-8c36-273a8764e133',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"name":"revoked"}');
INSERT INTO "events" VALUES(30,'2026-11-22T17:40:19.775Z','token.created','token','01a20458-36be-7399-aa22-ab238ff7d070',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"name":"Ann","scopes":["read","write"],"userId":"01a20458-367b-7a65-aafb-787368964377"}');
INSERT INTO "events" VALUES(31,'2026-11-22T17:40:19.846Z','repository.registered','repository','01a20458-3706-7b5c-9e53-89dd225c6a2c',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"repositoryId":"01a20458-3706-7b5c-9e53-89dd225c6a2c","name":"old"}');
INSERT INTO "events" VALUES(32,'2026-11-22T17:40:19.852Z','repository.removed','repository','01a20458-3706-7b5c-9e53-89dd225c6a2c',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"repositoryId":"01a20458-3706-7b5c-9e53-89dd225c6a2c","name":"old"}');
INSERT INTO "events" VALUES(33,'2026-11-22T17:40:19.856Z','repository.updated','repository','01a20458-33d5-775d-92ac-b57f15087465',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"repositoryId":"01a20458-33d5-775d-92ac-b57f15087465","changed":["checkCommand"]}');
INSERT INTO "events" VALUES(34,'2026-11-22T17:40:19.860Z','board.created','board','01a20458-3713-73ef-aa7d-0cb1d5731804',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"boardId":"01a20458-3713-73ef-aa7d-0cb1d5731804","name":"Sprint","ownerId":"01a20458-331c-7b7d-ad72-be23cc9b6746"}');
INSERT INTO "events" VALUES(35,'2026-11-22T17:40:19.871Z','zone.created','zone','01a20458-371f-7408-a5e8-b061b5c7c8b7',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"zoneId":"01a20458-371f-7408-a5e8-b061b5c7c8b7","boardId":"01a20458-3713-73ef-aa7d-0cb1d5731804","name":"Doing"}');
INSERT INTO "events" VALUES(36,'2026-11-22T17:40:19.886Z','job.started','job','01a20458-372d-72a8-93b4-1c89e6c757d3',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"kind":"worktree-creation"}');
INSERT INTO "events" VALUES(37,'2026-11-22T17:40:19.935Z','worktree.created','worktree','01a20458-372d-72a8-93b4-1c8813e2d249',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"worktreeId":"01a20458-372d-72a8-93b4-1c8813e2d249","repositoryId":"01a20458-33d5-775d-92ac-b57f15087465","branch":"feature/kept","path":"/srv/console/repositories/local/shop/worktrees/wt-002-889c"}');
INSERT INTO "events" VALUES(38,'2026-11-22T17:40:19.937Z','job.succeeded','job','01a20458-372d-72a8-93b4-1c89e6c757d3',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"kind":"worktree-creation"}');
INSERT INTO "events" VALUES(39,'2026-11-22T17:40:19.949Z','worktree.updated','worktree','01a20458-372d-72a8-93b4-1c8813e2d249',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"worktreeId":"01a20458-372d-72a8-93b4-1c8813e2d249","boardId":"01a20458-3713-73ef-aa7d-0cb1d5731804","zoneId":"01a20458-371f-7408-a5e8-b061b5c7c8b7","x":1.5,"y":2}');
INSERT INTO "events" VALUES(40,'2026-11-22T17:40:19.949Z','board.updated','board','01a20458-3713-73ef-aa7d-0cb1d5731804',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"boardId":"01a20458-3713-73ef-aa7d-0cb1d5731804","worktreeId":"01a20458-372d-72a8-93b4-1c8813e2d249"}');
INSERT INTO "events" VALUES(41,'2026-11-22T17:40:19.957Z','job.started','job','01a20458-3775-7d47-b99b-cff07228c7be',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"kind":"worktree-creation"}');
INSERT INTO "events" VALUES(42,'2026-11-22T17:40:19.981Z','worktree.created','worktree','01a20458-3775-7d47-b99b-cfef9456deb9',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"worktreeId":"01a20458-3775-7d47-b99b-cfef9456deb9","repositoryId":"01a20458-33d5-775d-92ac-b57f15087465","branch":"feature/gone","path":"/srv/console/repositories/local/shop/worktrees/wt-003-d108"}');
INSERT INTO "events" VALUES(43,'2026-11-22T17:40:19.982Z','job.succeeded','job','01a20458-3775-7d47-b99b-cff07228c7be',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"kind":"worktree-creation"}');
INSERT INTO "events" VALUES(44,'2026-11-22T17:40:20.005Z','worktree.updated','worktree','01a20458-3775-7d47-b99b-cfef9456deb9',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"worktreeId":"01a20458-3775-7d47-b99b-cfef9456deb9","state":"removing"}');
INSERT INTO "events" VALUES(45,'2026-11-22T17:40:20.050Z','worktree.removed','worktree','01a20458-3775-7d47-b99b-cfef9456deb9',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"worktreeId":"01a20458-3775-7d47-b99b-cfef9456deb9","recoveryRef":"refs/agent-console/recovery/wt-003-d108/20261122T174020005Z"}');
INSERT INTO "events" VALUES(46,'2026-11-22T17:40:20.054Z','board.created','board','01a20458-37d6-7e00-b649-dca1f6f9088c',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"boardId":"01a20458-37d6-7e00-b649-dca1f6f9088c","name":"Old board","ownerId":"01a20458-331c-7b7d-ad72-be23cc9b6746"}');
INSERT INTO "events" VALUES(47,'2026-11-22T17:40:20.057Z','board.removed','board','01a20458-37d6-7e00-b649-dca1f6f9088c',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"boardId":"01a20458-37d6-7e00-b649-dca1f6f9088c","name":"Old board"}');
INSERT INTO "events" VALUES(48,'2026-11-22T17:40:20.064Z','mcpServer.created','mcpServer','01a20458-37df-7c71-90c4-93aff800f450',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"name":"notes","transport":"http"}');
INSERT INTO "events" VALUES(49,'2026-11-22T17:40:20.068Z','mcpServer.created','mcpServer','01a20458-37e4-7c5f-bb22-2354d2d55535',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"name":"local","transport":"stdio"}');
INSERT INTO "events" VALUES(50,'2026-11-22T17:40:20.072Z','mcpServer.removed','mcpServer','01a20458-37e4-7c5f-bb22-2354d2d55535',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"name":"local","transport":"stdio"}');
INSERT INTO "events" VALUES(51,'2026-11-22T17:40:20.078Z','session.created','session','01a20458-37ed-7ca3-aef0-5b5bfd09722e','01a20458-37ed-7ca3-aef0-5b5bfd09722e','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"title":"Quick notes","agentId":"scripted","worktreeId":null,"parentSessionId":null}');
INSERT INTO "events" VALUES(52,'2026-11-22T17:40:20.084Z','task.queued','task','01a20458-37f4-74d8-8013-d59dcb39d66b','01a20458-37ed-7ca3-aef0-5b5bfd09722e','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"status":"queued","kind":"prompt"}');
INSERT INTO "events" VALUES(53,'2026-11-22T17:40:20.086Z','task.started','task','01a20458-37f4-74d8-8013-d59dcb39d66b','01a20458-37ed-7ca3-aef0-5b5bfd09722e','system',NULL,'{"status":"running","kind":"prompt"}');
INSERT INTO "events" VALUES(54,'2026-11-22T17:40:20.097Z','worker.started','worker','01a20458-37f7-7841-a07e-ec8bb0228306','01a20458-37ed-7ca3-aef0-5b5bfd09722e','system',NULL,'{"workerType":"agent","pid":11030,"logOffset":0}');
INSERT INTO "events" VALUES(55,'2026-11-22T17:40:20.177Z','activity.changed','worker','01a20458-37f7-7841-a07e-ec8bb0228306','01a20458-37ed-7ca3-aef0-5b5bfd09722e','system',NULL,'{"activityState":"idle","activitySource":"title","confidence":"likely","disputed":[],"logOffset":246}');
INSERT INTO "events" VALUES(56,'2026-11-22T17:40:20.307Z','input.accepted','worker','01a20458-37f7-7841-a07e-ec8bb0228306','01a20458-37ed-7ca3-aef0-5b5bfd09722e','system',NULL,'{"inputId":"01a20458-3802-7458-aefd-315f3ac736a5","taskId":"01a20458-37f4-74d8-8013-d59dcb39d66b","source":"title"}');
INSERT INTO "events" VALUES(57,'2026-11-22T17:40:20.307Z','activity.changed','worker','01a20458-37f7-7841-a07e-ec8bb0228306','01a20458-37ed-7ca3-aef0-5b5bfd09722e','system',NULL,'{"activityState":"active","activitySource":"title","confidence":"likely","disputed":[],"logOffset":293}');
INSERT INTO "events" VALUES(58,'2026-11-22T17:40:20.311Z','conversation.grown','session','01a20458-37ed-7ca3-aef0-5b5bfd09722e','01a20458-37ed-7ca3-aef0-5b5bfd09722e','system',NULL,'{"count":1}');
INSERT INTO "events" VALUES(59,'2026-11-22T17:40:20.312Z','task.ended','task','01a20458-37f4-74d8-8013-d59dcb39d66b','01a20458-37ed-7ca3-aef0-5b5bfd09722e','system',NULL,'{"status":"completed","kind":"prompt","outcomeSource":"title","certain":false}');
INSERT INTO "events" VALUES(60,'2026-11-22T17:40:20.312Z','activity.changed','worker','01a20458-37f7-7841-a07e-ec8bb0228306','01a20458-37ed-7ca3-aef0-5b5bfd09722e','system',NULL,'{"activityState":"idle","activitySource":"title","confidence":"likely","disputed":[],"logOffset":351}');
INSERT INTO "events" VALUES(61,'2026-11-22T17:40:20.321Z','session.stopped','session','01a20458-37ed-7ca3-aef0-5b5bfd09722e','01a20458-37ed-7ca3-aef0-5b5bfd09722e','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{}');
INSERT INTO "events" VALUES(62,'2026-11-22T17:40:20.354Z','worker.exited','worker','01a20458-37f7-7841-a07e-ec8bb0228306','01a20458-37ed-7ca3-aef0-5b5bfd09722e','system',NULL,'{"workerType":"agent","exitCode":129,"signal":null,"logOffset":378}');
INSERT INTO "events" VALUES(63,'2026-11-22T17:40:20.365Z','session.archived','session','01a20458-37ed-7ca3-aef0-5b5bfd09722e','01a20458-37ed-7ca3-aef0-5b5bfd09722e','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{}');
INSERT INTO "events" VALUES(64,'2026-11-22T17:40:20.384Z','session.created','session','01a20458-3920-72da-871d-878ab026e1cc','01a20458-3920-72da-871d-878ab026e1cc','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"title":"In a worktree","agentId":"scripted","worktreeId":"01a20458-372d-72a8-93b4-1c8813e2d249","parentSessionId":null}');
INSERT INTO "events" VALUES(65,'2026-11-22T17:40:20.385Z','task.queued','task','01a20458-3920-72da-871d-878d5f4bfd3e','01a20458-3920-72da-871d-878ab026e1cc','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"status":"queued","kind":"prompt"}');
INSERT INTO "events" VALUES(66,'2026-11-22T17:40:20.386Z','task.started','task','01a20458-3920-72da-871d-878d5f4bfd3e','01a20458-3920-72da-871d-878ab026e1cc','system',NULL,'{"status":"running","kind":"prompt"}');
INSERT INTO "events" VALUES(67,'2026-11-22T17:40:20.407Z','worker.started','worker','01a20458-3923-7dd6-af1d-fcb7d3fca019','01a20458-3920-72da-871d-878ab026e1cc','system',NULL,'{"workerType":"agent","pid":11042,"logOffset":0}');
INSERT INTO "events" VALUES(68,'2026-11-22T17:40:20.506Z','activity.changed','worker','01a20458-3923-7dd6-af1d-fcb7d3fca019','01a20458-3920-72da-871d-878ab026e1cc','system',NULL,'{"activityState":"idle","activitySource":"title","confidence":"likely","disputed":[],"logOffset":246}');
INSERT INTO "events" VALUES(69,'2026-11-22T17:40:20.634Z','input.accepted','worker','01a20458-3923-7dd6-af1d-fcb7d3fca019','01a20458-3920-72da-871d-878ab026e1cc','system',NULL,'{"inputId":"01a20458-3941-74af-9cce-21252e1af960","taskId":"01a20458-3920-72da-871d-878d5f4bfd3e","source":"title"}');
INSERT INTO "events" VALUES(70,'2026-11-22T17:40:20.634Z','activity.changed','worker','01a20458-3923-7dd6-af1d-fcb7d3fca019','01a20458-3920-72da-871d-878ab026e1cc','system',NULL,'{"activityState":"active","activitySource":"title","confidence":"likely","disputed":[],"logOffset":293}');
INSERT INTO "events" VALUES(71,'2026-11-22T17:40:20.640Z','conversation.grown','session','01a20458-3920-72da-871d-878ab026e1cc','01a20458-3920-72da-871d-878ab026e1cc','system',NULL,'{"count":2}');
INSERT INTO "events" VALUES(72,'2026-11-22T17:40:20.646Z','task.ended','task','01a20458-3920-72da-871d-878d5f4bfd3e','01a20458-3920-72da-871d-878ab026e1cc','system',NULL,'{"status":"completed","kind":"prompt","outcomeSource":"title","certain":false}');
INSERT INTO "events" VALUES(73,'2026-11-22T17:40:20.646Z','activity.changed','worker','01a20458-3923-7dd6-af1d-fcb7d3fca019','01a20458-3920-72da-871d-878ab026e1cc','system',NULL,'{"activityState":"idle","activitySource":"title","confidence":"likely","disputed":[],"logOffset":382}');
INSERT INTO "events" VALUES(74,'2026-11-22T17:40:20.655Z','session.created','session','01a20458-3a2e-7a2d-a750-81b1dcc5afe6','01a20458-3a2e-7a2d-a750-81b1dcc5afe6','user:01a20458-367b-7a65-aafb-787368964377',NULL,'{"title":"Private","agentId":"scripted","worktreeId":"01a20458-372d-72a8-93b4-1c8813e2d249","parentSessionId":null}');
INSERT INTO "events" VALUES(75,'2026-11-22T17:40:20.665Z','session.created','session','01a20458-3a39-7d33-b2c5-8cacb435d11c','01a20458-3a39-7d33-b2c5-8cacb435d11c','session:01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','{"title":"","agentId":"scripted","worktreeId":"01a20458-340a-768b-b564-50d90acd50be","parentSessionId":"01a20458-340b-70ee-8488-9c0471ee1ac3"}');
INSERT INTO "events" VALUES(76,'2026-11-22T17:40:20.684Z','task.queued','task','01a20458-3a4c-79a4-bf31-79172fc42301','01a20458-3a39-7d33-b2c5-8cacb435d11c','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"status":"queued","kind":"prompt"}');
INSERT INTO "events" VALUES(77,'2026-11-22T17:40:20.685Z','task.started','task','01a20458-3a4c-79a4-bf31-79172fc42301','01a20458-3a39-7d33-b2c5-8cacb435d11c','system',NULL,'{"status":"running","kind":"prompt"}');
INSERT INTO "events" VALUES(78,'2026-11-22T17:40:20.697Z','worker.started','worker','01a20458-3a4e-7cfa-ac6a-678222060500','01a20458-3a39-7d33-b2c5-8cacb435d11c','system',NULL,'{"workerType":"agent","pid":11055,"logOffset":0}');
INSERT INTO "events" VALUES(79,'2026-11-22T17:40:20.744Z','activity.changed','worker','01a20458-3a4e-7cfa-ac6a-678222060500','01a20458-3a39-7d33-b2c5-8cacb435d11c','system',NULL,'{"activityState":"idle","activitySource":"title","confidence":"likely","disputed":[],"logOffset":246}');
INSERT INTO "events" VALUES(80,'2026-11-22T17:40:20.870Z','input.accepted','worker','01a20458-3a4e-7cfa-ac6a-678222060500','01a20458-3a39-7d33-b2c5-8cacb435d11c','system',NULL,'{"inputId":"01a20458-3a5a-745d-8885-03cb79898011","taskId":"01a20458-3a4c-79a4-bf31-79172fc42301","source":"title"}');
INSERT INTO "events" VALUES(81,'2026-11-22T17:40:20.871Z','activity.changed','worker','01a20458-3a4e-7cfa-ac6a-678222060500','01a20458-3a39-7d33-b2c5-8cacb435d11c','system',NULL,'{"activityState":"active","activitySource":"title","confidence":"likely","disputed":[],"logOffset":292}');
INSERT INTO "events" VALUES(82,'2026-11-22T17:40:20.874Z','conversation.grown','session','01a20458-3a39-7d33-b2c5-8cacb435d11c','01a20458-3a39-7d33-b2c5-8cacb435d11c','system',NULL,'{"count":1}');
INSERT INTO "events" VALUES(83,'2026-11-22T17:40:20.881Z','task.ended','task','01a20458-3a4c-79a4-bf31-79172fc42301','01a20458-3a39-7d33-b2c5-8cacb435d11c','system',NULL,'{"status":"completed","kind":"prompt","outcomeSource":"title","certain":false}');
INSERT INTO "events" VALUES(84,'2026-11-22T17:40:20.881Z','activity.changed','worker','01a20458-3a4e-7cfa-ac6a-678222060500','01a20458-3a39-7d33-b2c5-8cacb435d11c','system',NULL,'{"activityState":"idle","activitySource":"title","confidence":"likely","disputed":[],"logOffset":331}');
INSERT INTO "events" VALUES(85,'2026-11-22T17:40:20.903Z','session.created','session','01a20458-3b27-7123-9e1a-3b67d01bd445','01a20458-3b27-7123-9e1a-3b67d01bd445','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"title":"Fork","agentId":"scripted","worktreeId":"01a20458-340a-768b-b564-50d90acd50be","parentSessionId":null}');
INSERT INTO "events" VALUES(86,'2026-11-22T17:40:20.903Z','session.forked','session','01a20458-3b27-7123-9e1a-3b67d01bd445','01a20458-3b27-7123-9e1a-3b67d01bd445','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"forkedFromSessionId":"01a20458-3a39-7d33-b2c5-8cacb435d11c","childSessionId":"01a20458-3b27-7123-9e1a-3b67d01bd445","taskId":"01a20458-3a4c-79a4-bf31-79172fc42301"}');
INSERT INTO "events" VALUES(87,'2026-11-22T17:40:20.904Z','task.queued','task','01a20458-3b27-7123-9e1a-3b6949a05c00','01a20458-3b27-7123-9e1a-3b67d01bd445','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"status":"queued","kind":"prompt"}');
INSERT INTO "events" VALUES(88,'2026-11-22T17:40:20.904Z','task.started','task','01a20458-3b27-7123-9e1a-3b6949a05c00','01a20458-3b27-7123-9e1a-3b67d01bd445','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"status":"running","kind":"prompt"}');
INSERT INTO "events" VALUES(89,'2026-11-22T17:40:20.911Z','session.created','session','01a20458-3b2f-724f-a793-5e1c03657693','01a20458-3b2f-724f-a793-5e1c03657693','session:01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','{"title":"@report succeeded below","agentId":"scripted","worktreeId":"01a20458-340a-768b-b564-50d90acd50be","parentSessionId":"01a20458-3a39-7d33-b2c5-8cacb435d11c"}');
INSERT INTO "events" VALUES(90,'2026-11-22T17:40:20.911Z','session.spawned','session','01a20458-3b2f-724f-a793-5e1c03657693','01a20458-3b2f-724f-a793-5e1c03657693','session:01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','{"parentSessionId":"01a20458-3a39-7d33-b2c5-8cacb435d11c","childSessionId":"01a20458-3b2f-724f-a793-5e1c03657693","taskId":"01a20458-3a4c-79a4-bf31-79172fc42301"}');
INSERT INTO "events" VALUES(91,'2026-11-22T17:40:20.911Z','task.queued','task','01a20458-3b2f-724f-a793-5e1eae897aa4','01a20458-3b2f-724f-a793-5e1c03657693','session:01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','{"status":"queued","kind":"prompt"}');
INSERT INTO "events" VALUES(92,'2026-11-22T17:40:20.911Z','task.started','task','01a20458-3b2f-724f-a793-5e1eae897aa4','01a20458-3b2f-724f-a793-5e1c03657693','session:01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','{"status":"running","kind":"prompt"}');
INSERT INTO "events" VALUES(93,'2026-11-22T17:40:20.921Z','worker.started','worker','01a20458-3b29-7566-802c-d0e62b5f6b50','01a20458-3b27-7123-9e1a-3b67d01bd445','system',NULL,'{"workerType":"agent","pid":11068,"logOffset":0}');
INSERT INTO "events" VALUES(94,'2026-11-22T17:40:20.930Z','worker.started','worker','01a20458-3b30-712b-b2b9-f5db44c9d83b','01a20458-3b2f-724f-a793-5e1c03657693','system',NULL,'{"workerType":"agent","pid":11075,"logOffset":0}');
INSERT INTO "events" VALUES(95,'2026-11-22T17:40:21.002Z','conversation.grown','session','01a20458-3b27-7123-9e1a-3b67d01bd445','01a20458-3b27-7123-9e1a-3b67d01bd445','system',NULL,'{"count":2}');
INSERT INTO "events" VALUES(96,'2026-11-22T17:40:21.003Z','activity.changed','worker','01a20458-3b29-7566-802c-d0e62b5f6b50','01a20458-3b27-7123-9e1a-3b67d01bd445','system',NULL,'{"activityState":"idle","activitySource":"title","confidence":"likely","disputed":[],"logOffset":266}');
INSERT INTO "events" VALUES(97,'2026-11-22T17:40:21.017Z','activity.changed','worker','01a20458-3b30-712b-b2b9-f5db44c9d83b','01a20458-3b2f-724f-a793-5e1c03657693','system',NULL,'{"activityState":"idle","activitySource":"title","confidence":"likely","disputed":[],"logOffset":246}');
INSERT INTO "events" VALUES(98,'2026-11-22T17:40:21.130Z','input.accepted','worker','01a20458-3b29-7566-802c-d0e62b5f6b50','01a20458-3b27-7123-9e1a-3b67d01bd445','system',NULL,'{"inputId":"01a20458-3b3b-7d29-aaa0-3bfd83790d04","taskId":"01a20458-3b27-7123-9e1a-3b6949a05c00","source":"title"}');
INSERT INTO "events" VALUES(99,'2026-11-22T17:40:21.131Z','activity.changed','worker','01a20458-3b29-7566-802c-d0e62b5f6b50','01a20458-3b27-7123-9e1a-3b67d01bd445','system',NULL,'{"activityState":"active","activitySource":"title","confidence":"likely","disputed":[],"logOffset":313}');
INSERT INTO "events" VALUES(100,'2026-11-22T17:40:21.135Z','conversation.grown','session','01a20458-3b27-7123-9e1a-3b67d01bd445','01a20458-3b27-7123-9e1a-3b67d01bd445','system',NULL,'{"count":1}');
INSERT INTO "events" VALUES(101,'2026-11-22T17:40:21.137Z','task.ended','task','01a20458-3b27-7123-9e1a-3b6949a05c00','01a20458-3b27-7123-9e1a-3b67d01bd445','system',NULL,'{"status":"completed","kind":"prompt","outcomeSource":"title","certain":false}');
INSERT INTO "events" VALUES(102,'2026-11-22T17:40:21.137Z','activity.changed','worker','01a20458-3b29-7566-802c-d0e62b5f6b50','01a20458-3b27-7123-9e1a-3b67d01bd445','system',NULL,'{"activityState":"idle","activitySource":"title","confidence":"likely","disputed":[],"logOffset":353}');
INSERT INTO "events" VALUES(103,'2026-11-22T17:40:21.143Z','input.accepted','worker','01a20458-3b30-712b-b2b9-f5db44c9d83b','01a20458-3b2f-724f-a793-5e1c03657693','system',NULL,'{"inputId":"01a20458-3b44-7566-a179-0541ffa46cf4","taskId":"01a20458-3b2f-724f-a793-5e1eae897aa4","source":"title"}');
INSERT INTO "events" VALUES(104,'2026-11-22T17:40:21.143Z','activity.changed','worker','01a20458-3b30-712b-b2b9-f5db44c9d83b','01a20458-3b2f-724f-a793-5e1c03657693','system',NULL,'{"activityState":"active","activitySource":"title","confidence":"likely","disputed":[],"logOffset":293}');
INSERT INTO "events" VALUES(105,'2026-11-22T17:40:21.490Z','task.ended','task','01a20458-3b2f-724f-a793-5e1eae897aa4','01a20458-3b2f-724f-a793-5e1c03657693','session:01a20458-3b2f-724f-a793-5e1c03657693','01a20458-3b2f-724f-a793-5e1c03657693','{"status":"completed","kind":"prompt","outcomeSource":"report","certain":true}');
INSERT INTO "events" VALUES(106,'2026-11-22T17:40:21.491Z','notice.created','notice','01a20458-3d73-791a-a0bd-1edef2ca5d8e','01a20458-340b-70ee-8488-9c0471ee1ac3','session:01a20458-3b2f-724f-a793-5e1c03657693','01a20458-3b2f-724f-a793-5e1c03657693','{"kind":"ended","aboutSessionId":"01a20458-3b2f-724f-a793-5e1c03657693","status":"completed","state":"pending"}');
INSERT INTO "events" VALUES(107,'2026-11-22T17:40:21.521Z','task.started','task','01a20458-3d90-7459-ba31-d3dfce4978ae','01a20458-340b-70ee-8488-9c0471ee1ac3','system',NULL,'{"status":"running","kind":"notice"}');
INSERT INTO "events" VALUES(108,'2026-11-22T17:40:21.527Z','conversation.grown','session','01a20458-3b2f-724f-a793-5e1c03657693','01a20458-3b2f-724f-a793-5e1c03657693','system',NULL,'{"count":1}');
INSERT INTO "events" VALUES(109,'2026-11-22T17:40:21.528Z','activity.changed','worker','01a20458-3b30-712b-b2b9-f5db44c9d83b','01a20458-3b2f-724f-a793-5e1c03657693','system',NULL,'{"activityState":"idle","activitySource":"title","confidence":"likely","disputed":[],"logOffset":469}');
INSERT INTO "events" VALUES(110,'2026-11-22T17:40:21.533Z','session.created','session','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','session:01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','{"title":"@report succeeded measured the bridge","agentId":"scripted","worktreeId":"01a20458-3d9c-7713-bd96-aa7199a93039","parentSessionId":"01a20458-340b-70ee-8488-9c0471ee1ac3"}');
INSERT INTO "events" VALUES(111,'2026-11-22T17:40:21.533Z','task.queued','task','01a20458-3d9d-7aa8-a037-2b218aede94d','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','session:01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','{"status":"queued","kind":"prompt"}');
INSERT INTO "events" VALUES(112,'2026-11-22T17:40:21.533Z','delegation.requested','delegation','01a20458-3d9d-7aa8-a037-2b1f54706845','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','session:01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','{"parentSessionId":"01a20458-340b-70ee-8488-9c0471ee1ac3","branch":"given-kept","taskId":"01a20458-3d9d-7aa8-a037-2b218aede94d","worktreeId":"01a20458-3d9c-7713-bd96-aa7199a93039"}');
INSERT INTO "events" VALUES(113,'2026-11-22T17:40:21.534Z','delegation.advanced','delegation','01a20458-3d9d-7aa8-a037-2b1f54706845','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','system',NULL,'{"state":"creating_worktree","parentSessionId":"01a20458-340b-70ee-8488-9c0471ee1ac3"}');
INSERT INTO "events" VALUES(114,'2026-11-22T17:40:21.566Z','worktree.created','worktree','01a20458-3d9c-7713-bd96-aa7199a93039',NULL,'system',NULL,'{"worktreeId":"01a20458-3d9c-7713-bd96-aa7199a93039","repositoryId":"01a20458-33d5-775d-92ac-b57f15087465","branch":"given-kept","path":"/srv/console/repositories/local/shop/worktrees/wt-004-8348"}');
INSERT INTO "events" VALUES(115,'2026-11-22T17:40:21.566Z','delegation.advanced','delegation','01a20458-3d9d-7aa8-a037-2b1f54706845','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','system',NULL,'{"state":"starting_agent","parentSessionId":"01a20458-340b-70ee-8488-9c0471ee1ac3"}');
INSERT INTO "events" VALUES(116,'2026-11-22T17:40:21.574Z','worker.started','worker','01a20458-3d9d-7aa8-a037-2b228abce95f','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','system',NULL,'{"workerType":"agent","pid":11098,"logOffset":0}');
INSERT INTO "events" VALUES(117,'2026-11-22T17:40:21.575Z','task.started','task','01a20458-3d9d-7aa8-a037-2b218aede94d','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','system',NULL,'{"status":"running","kind":"prompt"}');
INSERT INTO "events" VALUES(118,'2026-11-22T17:40:21.575Z','delegation.advanced','delegation','01a20458-3d9d-7aa8-a037-2b1f54706845','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','system',NULL,'{"state":"prompting","parentSessionId":"01a20458-340b-70ee-8488-9c0471ee1ac3"}');
INSERT INTO "events" VALUES(119,'2026-11-22T17:40:21.623Z','activity.changed','worker','01a20458-3d9d-7aa8-a037-2b228abce95f','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','system',NULL,'{"activityState":"idle","activitySource":"title","confidence":"likely","disputed":[],"logOffset":246}');
INSERT INTO "events" VALUES(120,'2026-11-22T17:40:21.651Z','conversation.grown','session','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','system',NULL,'{"count":1}');
INSERT INTO "events" VALUES(121,'2026-11-22T17:40:21.652Z','notice.delivered','notice','01a20458-3d73-791a-a0bd-1edef2ca5d8e','01a20458-340b-70ee-8488-9c0471ee1ac3','system',NULL,'{"kind":"ended","aboutSessionId":"01a20458-3b2f-724f-a793-5e1c03657693"}');
INSERT INTO "events" VALUES(122,'2026-11-22T17:40:21.653Z','input.accepted','worker','01a20458-340d-7fb4-b60d-080b94470dda','01a20458-340b-70ee-8488-9c0471ee1ac3','system',NULL,'{"inputId":"01a20458-3d91-797a-8330-5c2bcc1b4839","taskId":"01a20458-3d90-7459-ba31-d3dfce4978ae","source":"title"}');
INSERT INTO "events" VALUES(123,'2026-11-22T17:40:21.653Z','task.ended','task','01a20458-3d90-7459-ba31-d3dfce4978ae','01a20458-340b-70ee-8488-9c0471ee1ac3','system',NULL,'{"status":"completed","kind":"notice","outcomeSource":"title","certain":false}');
INSERT INTO "events" VALUES(124,'2026-11-22T17:40:21.749Z','input.accepted','worker','01a20458-3d9d-7aa8-a037-2b228abce95f','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','system',NULL,'{"inputId":"01a20458-3dcd-7cde-ac5d-0a429619fb18","taskId":"01a20458-3d9d-7aa8-a037-2b218aede94d","source":"title"}');
INSERT INTO "events" VALUES(125,'2026-11-22T17:40:21.749Z','activity.changed','worker','01a20458-3d9d-7aa8-a037-2b228abce95f','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','system',NULL,'{"activityState":"active","activitySource":"title","confidence":"likely","disputed":[],"logOffset":293}');
INSERT INTO "events" VALUES(126,'2026-11-22T17:40:21.749Z','delegation.advanced','delegation','01a20458-3d9d-7aa8-a037-2b1f54706845','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','system',NULL,'{"state":"handed_over","parentSessionId":"01a20458-340b-70ee-8488-9c0471ee1ac3"}');
INSERT INTO "events" VALUES(127,'2026-11-22T17:40:22.109Z','task.ended','task','01a20458-3d9d-7aa8-a037-2b218aede94d','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','session:01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','{"status":"completed","kind":"prompt","outcomeSource":"report","certain":true}');
INSERT INTO "events" VALUES(128,'2026-11-22T17:40:22.109Z','notice.created','notice','01a20458-3fdd-7406-95f2-6d9cb3d30935','01a20458-340b-70ee-8488-9c0471ee1ac3','session:01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','{"kind":"ended","aboutSessionId":"01a20458-3d9d-7aa8-a037-2b1ef9fad2cf","status":"completed","state":"pending"}');
INSERT INTO "events" VALUES(129,'2026-11-22T17:40:22.116Z','task.started','task','01a20458-3fe1-70e1-abb0-1b52d775d42e','01a20458-340b-70ee-8488-9c0471ee1ac3','system',NULL,'{"status":"running","kind":"notice"}');
INSERT INTO "events" VALUES(130,'2026-11-22T17:40:22.137Z','conversation.grown','session','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','system',NULL,'{"count":1}');
INSERT INTO "events" VALUES(131,'2026-11-22T17:40:22.138Z','activity.changed','worker','01a20458-3d9d-7aa8-a037-2b228abce95f','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','system',NULL,'{"activityState":"idle","activitySource":"title","confidence":"likely","disputed":[],"logOffset":469}');
INSERT INTO "events" VALUES(132,'2026-11-22T17:40:22.149Z','session.created','session','01a20458-4004-7d44-9cd2-dcd55d94f4a1','01a20458-4004-7d44-9cd2-dcd55d94f4a1','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"title":"Removed","agentId":"scripted","worktreeId":null,"parentSessionId":null}');
INSERT INTO "events" VALUES(133,'2026-11-22T17:40:22.158Z','session.removed','session','01a20458-4004-7d44-9cd2-dcd55d94f4a1','01a20458-4004-7d44-9cd2-dcd55d94f4a1','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"parentSessionId":null,"forkedFromSessionId":null}');
INSERT INTO "events" VALUES(134,'2026-11-22T17:40:22.167Z','session.created','session','01a20458-4017-7fd2-ba88-7e55afa3983e','01a20458-4017-7fd2-ba88-7e55afa3983e','session:01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','{"title":"","agentId":"scripted","worktreeId":"01a20458-340a-768b-b564-50d90acd50be","parentSessionId":"01a20458-340b-70ee-8488-9c0471ee1ac3"}');
INSERT INTO "events" VALUES(135,'2026-11-22T17:40:22.172Z','task.queued','task','01a20458-401c-7535-aeeb-6db12f2544a2','01a20458-4017-7fd2-ba88-7e55afa3983e','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"status":"queued","kind":"prompt"}');
INSERT INTO "events" VALUES(136,'2026-11-22T17:40:22.173Z','task.started','task','01a20458-401c-7535-aeeb-6db12f2544a2','01a20458-4017-7fd2-ba88-7e55afa3983e','system',NULL,'{"status":"running","kind":"prompt"}');
INSERT INTO "events" VALUES(137,'2026-11-22T17:40:22.185Z','worker.started','worker','01a20458-401e-7486-b217-6d836f9a0d7e','01a20458-4017-7fd2-ba88-7e55afa3983e','system',NULL,'{"workerType":"agent","pid":11112,"logOffset":0}');
INSERT INTO "events" VALUES(138,'2026-11-22T17:40:22.243Z','activity.changed','worker','01a20458-401e-7486-b217-6d836f9a0d7e','01a20458-4017-7fd2-ba88-7e55afa3983e','system',NULL,'{"activityState":"idle","activitySource":"title","confidence":"likely","disputed":[],"logOffset":246}');
INSERT INTO "events" VALUES(139,'2026-11-22T17:40:22.251Z','conversation.grown','session','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','system',NULL,'{"count":1}');
INSERT INTO "events" VALUES(140,'2026-11-22T17:40:22.252Z','notice.delivered','notice','01a20458-3fdd-7406-95f2-6d9cb3d30935','01a20458-340b-70ee-8488-9c0471ee1ac3','system',NULL,'{"kind":"ended","aboutSessionId":"01a20458-3d9d-7aa8-a037-2b1ef9fad2cf"}');
INSERT INTO "events" VALUES(141,'2026-11-22T17:40:22.253Z','input.accepted','worker','01a20458-340d-7fb4-b60d-080b94470dda','01a20458-340b-70ee-8488-9c0471ee1ac3','system',NULL,'{"inputId":"01a20458-3fe4-71d5-9df6-db411e790156","taskId":"01a20458-3fe1-70e1-abb0-1b52d775d42e","source":"title"}');
INSERT INTO "events" VALUES(142,'2026-11-22T17:40:22.255Z','task.ended','task','01a20458-3fe1-70e1-abb0-1b52d775d42e','01a20458-340b-70ee-8488-9c0471ee1ac3','system',NULL,'{"status":"completed","kind":"notice","outcomeSource":"title","certain":false}');
INSERT INTO "events" VALUES(143,'2026-11-22T17:40:22.371Z','input.accepted','worker','01a20458-401e-7486-b217-6d836f9a0d7e','01a20458-4017-7fd2-ba88-7e55afa3983e','system',NULL,'{"inputId":"01a20458-402b-76f3-8932-89540c86b05a","taskId":"01a20458-401c-7535-aeeb-6db12f2544a2","source":"title"}');
INSERT INTO "events" VALUES(144,'2026-11-22T17:40:22.371Z','activity.changed','worker','01a20458-401e-7486-b217-6d836f9a0d7e','01a20458-4017-7fd2-ba88-7e55afa3983e','system',NULL,'{"activityState":"active","activitySource":"title","confidence":"likely","disputed":[],"logOffset":293}');
INSERT INTO "events" VALUES(145,'2026-11-22T17:40:22.389Z','task.queued','task','01a20458-40f5-799d-a085-cecd0e2f7e2c','01a20458-4017-7fd2-ba88-7e55afa3983e','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"status":"queued","kind":"prompt"}');
INSERT INTO "events" VALUES(146,'2026-11-22T17:40:22.395Z','task.queued','task','01a20458-40fb-752b-b6b1-3a675e05e714','01a20458-4017-7fd2-ba88-7e55afa3983e','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"status":"queued","kind":"prompt"}');
INSERT INTO "events" VALUES(147,'2026-11-22T17:40:22.402Z','task.ended','task','01a20458-40fb-752b-b6b1-3a675e05e714','01a20458-4017-7fd2-ba88-7e55afa3983e','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"status":"cancelled","kind":"prompt","outcomeSource":"person","certain":true}');
INSERT INTO "events" VALUES(148,'2026-11-22T17:40:22.408Z','session.created','session','01a20458-4108-74f7-886a-ef8cfea2536d','01a20458-4108-74f7-886a-ef8cfea2536d','session:01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','{"title":"","agentId":"scripted","worktreeId":"01a20458-340a-768b-b564-50d90acd50be","parentSessionId":"01a20458-340b-70ee-8488-9c0471ee1ac3"}');
INSERT INTO "events" VALUES(149,'2026-11-22T17:40:22.412Z','task.queued','task','01a20458-410c-7067-ac98-0df0e3945dfd','01a20458-4108-74f7-886a-ef8cfea2536d','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"status":"queued","kind":"prompt"}');
INSERT INTO "events" VALUES(150,'2026-11-22T17:40:22.413Z','task.started','task','01a20458-410c-7067-ac98-0df0e3945dfd','01a20458-4108-74f7-886a-ef8cfea2536d','system',NULL,'{"status":"running","kind":"prompt"}');
INSERT INTO "events" VALUES(151,'2026-11-22T17:40:22.430Z','worker.started','worker','01a20458-410e-7c7e-aa4a-5e8446f64b57','01a20458-4108-74f7-886a-ef8cfea2536d','system',NULL,'{"workerType":"agent","pid":11126,"logOffset":0}');
INSERT INTO "events" VALUES(152,'2026-11-22T17:40:22.517Z','activity.changed','worker','01a20458-410e-7c7e-aa4a-5e8446f64b57','01a20458-4108-74f7-886a-ef8cfea2536d','system',NULL,'{"activityState":"idle","activitySource":"title","confidence":"likely","disputed":[],"logOffset":246}');
INSERT INTO "events" VALUES(153,'2026-11-22T17:40:22.655Z','input.accepted','worker','01a20458-410e-7c7e-aa4a-5e8446f64b57','01a20458-4108-74f7-886a-ef8cfea2536d','system',NULL,'{"inputId":"01a20458-411f-7ae8-9ff5-178f4dc5c963","taskId":"01a20458-410c-7067-ac98-0df0e3945dfd","source":"title"}');
INSERT INTO "events" VALUES(154,'2026-11-22T17:40:22.657Z','activity.changed','worker','01a20458-410e-7c7e-aa4a-5e8446f64b57','01a20458-4108-74f7-886a-ef8cfea2536d','system',NULL,'{"activityState":"asking","activitySource":"title","confidence":"likely","disputed":[],"logOffset":400}');
INSERT INTO "events" VALUES(155,'2026-11-22T17:40:22.772Z','conversation.grown','session','01a20458-4108-74f7-886a-ef8cfea2536d','01a20458-4108-74f7-886a-ef8cfea2536d','system',NULL,'{"count":1}');
INSERT INTO "events" VALUES(156,'2026-11-22T17:40:23.041Z','approval.requested','approval','01a20458-4381-7461-87f2-9b2258ba9df2','01a20458-4108-74f7-886a-ef8cfea2536d','system',NULL,'{"workerId":"01a20458-410e-7c7e-aa4a-5e8446f64b57","taskId":"01a20458-410c-7067-ac98-0df0e3945dfd","text":"Allow Bash: npm test","tool":"Bash","options":[{"id":"1","label":"Yes","kind":"allow"},{"id":"2","label":"Yes, and always allow Bash","kind":"allow"},{"id":"3","label":"No","kind":"deny"}],"source":"screen","state":"pending","logOffset":421}');
INSERT INTO "events" VALUES(157,'2026-11-22T17:40:23.042Z','task.waiting','task','01a20458-410c-7067-ac98-0df0e3945dfd','01a20458-4108-74f7-886a-ef8cfea2536d','system',NULL,'{"status":"awaiting_input","kind":"prompt","waitingFor":"answer"}');
INSERT INTO "events" VALUES(158,'2026-11-22T17:40:23.074Z','approval.answered','approval','01a20458-4381-7461-87f2-9b2258ba9df2','01a20458-4108-74f7-886a-ef8cfea2536d','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"workerId":"01a20458-410e-7c7e-aa4a-5e8446f64b57","taskId":"01a20458-410c-7067-ac98-0df0e3945dfd","text":"Allow Bash: npm test","tool":"Bash","options":[{"id":"1","label":"Yes","kind":"allow"},{"id":"2","label":"Yes, and always allow Bash","kind":"allow"},{"id":"3","label":"No","kind":"deny"}],"source":"screen","state":"answered","logOffset":421,"optionId":"1","label":"Yes"}');
INSERT INTO "events" VALUES(159,'2026-11-22T17:40:23.085Z','session.created','session','01a20458-43ad-7754-a208-e7550605ffbd','01a20458-43ad-7754-a208-e7550605ffbd','session:01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','{"title":"","agentId":"scripted","worktreeId":"01a20458-340a-768b-b564-50d90acd50be","parentSessionId":"01a20458-340b-70ee-8488-9c0471ee1ac3"}');
INSERT INTO "events" VALUES(160,'2026-11-22T17:40:23.090Z','conversation.grown','session','01a20458-4108-74f7-886a-ef8cfea2536d','01a20458-4108-74f7-886a-ef8cfea2536d','system',NULL,'{"count":1}');
INSERT INTO "events" VALUES(161,'2026-11-22T17:40:23.091Z','task.started','task','01a20458-410c-7067-ac98-0df0e3945dfd','01a20458-4108-74f7-886a-ef8cfea2536d','system',NULL,'{"status":"running","kind":"prompt","again":true}');
INSERT INTO "events" VALUES(162,'2026-11-22T17:40:23.091Z','task.ended','task','01a20458-410c-7067-ac98-0df0e3945dfd','01a20458-4108-74f7-886a-ef8cfea2536d','system',NULL,'{"status":"completed","kind":"prompt","outcomeSource":"title","certain":false}');
INSERT INTO "events" VALUES(163,'2026-11-22T17:40:23.092Z','activity.changed','worker','01a20458-410e-7c7e-aa4a-5e8446f64b57','01a20458-4108-74f7-886a-ef8cfea2536d','system',NULL,'{"activityState":"idle","activitySource":"title","confidence":"likely","disputed":[],"logOffset":477}');
INSERT INTO "events" VALUES(164,'2026-11-22T17:40:23.094Z','task.queued','task','01a20458-43b6-7f43-ba4c-5bef10085c90','01a20458-43ad-7754-a208-e7550605ffbd','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"status":"queued","kind":"prompt"}');
INSERT INTO "events" VALUES(165,'2026-11-22T17:40:23.095Z','task.started','task','01a20458-43b6-7f43-ba4c-5bef10085c90','01a20458-43ad-7754-a208-e7550605ffbd','system',NULL,'{"status":"running","kind":"prompt"}');
INSERT INTO "events" VALUES(166,'2026-11-22T17:40:23.113Z','worker.started','worker','01a20458-43b8-78f2-a5fb-0bff61177960','01a20458-43ad-7754-a208-e7550605ffbd','system',NULL,'{"workerType":"agent","pid":11140,"logOffset":0}');
INSERT INTO "events" VALUES(167,'2026-11-22T17:40:23.173Z','activity.changed','worker','01a20458-43b8-78f2-a5fb-0bff61177960','01a20458-43ad-7754-a208-e7550605ffbd','system',NULL,'{"activityState":"idle","activitySource":"title","confidence":"likely","disputed":[],"logOffset":246}');
INSERT INTO "events" VALUES(168,'2026-11-22T17:40:23.298Z','input.accepted','worker','01a20458-43b8-78f2-a5fb-0bff61177960','01a20458-43ad-7754-a208-e7550605ffbd','system',NULL,'{"inputId":"01a20458-43ca-7598-9aa7-08063502509f","taskId":"01a20458-43b6-7f43-ba4c-5bef10085c90","source":"title"}');
INSERT INTO "events" VALUES(169,'2026-11-22T17:40:23.298Z','activity.changed','worker','01a20458-43b8-78f2-a5fb-0bff61177960','01a20458-43ad-7754-a208-e7550605ffbd','system',NULL,'{"activityState":"active","activitySource":"title","confidence":"likely","disputed":[],"logOffset":293}');
INSERT INTO "events" VALUES(170,'2026-11-22T17:40:23.300Z','activity.changed','worker','01a20458-43b8-78f2-a5fb-0bff61177960','01a20458-43ad-7754-a208-e7550605ffbd','system',NULL,'{"activityState":"asking","activitySource":"title","confidence":"likely","disputed":[],"logOffset":400}');
INSERT INTO "events" VALUES(171,'2026-11-22T17:40:23.425Z','conversation.grown','session','01a20458-43ad-7754-a208-e7550605ffbd','01a20458-43ad-7754-a208-e7550605ffbd','system',NULL,'{"count":1}');
INSERT INTO "events" VALUES(172,'2026-11-22T17:40:23.618Z','approval.requested','approval','01a20458-45c2-7f86-9834-4e475f11ae6f','01a20458-43ad-7754-a208-e7550605ffbd','system',NULL,'{"workerId":"01a20458-43b8-78f2-a5fb-0bff61177960","taskId":"01a20458-43b6-7f43-ba4c-5bef10085c90","text":"Allow Bash: npm test","tool":"Bash","options":[{"id":"1","label":"Yes","kind":"allow"},{"id":"2","label":"Yes, and always allow Bash","kind":"allow"},{"id":"3","label":"No","kind":"deny"}],"source":"screen","state":"pending","logOffset":421}');
INSERT INTO "events" VALUES(173,'2026-11-22T17:40:23.618Z','task.waiting','task','01a20458-43b6-7f43-ba4c-5bef10085c90','01a20458-43ad-7754-a208-e7550605ffbd','system',NULL,'{"status":"awaiting_input","kind":"prompt","waitingFor":"answer"}');
INSERT INTO "events" VALUES(174,'2026-11-22T17:40:23.643Z','worker.started','worker','01a20458-45d4-75f7-9225-87830a2978d0','01a20458-340b-70ee-8488-9c0471ee1ac3','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,'{"workerType":"terminal","pid":11153,"logOffset":0}');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','repositories.create','1ff48a2c-ee1c-40cc-a375-b1729523dfd3','259d51e9dca312f6cfa3ebf86ed93cf62f425ef67262efe19b759d0e22ac2123','{"id":"01a20458-33d5-775d-92ac-b57f15087465","name":"shop","path":"/srv/shop","url":null,"defaultBranch":"main","setupCommand":null,"cleanupCommand":null,"checkCommand":null,"createdAt":"2026-11-22T17:40:19.028Z"}',1,'2026-11-22T17:40:19.032Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','delegations.create','9912d419-27c5-44f9-aabf-d7e840293cd4','1e6dfeaf7687f601f4091ce1f3d7981b06fd70d5b635bf86aec76bd5f7badcf5','{"delegationId":"01a20458-340c-7a68-9e97-89522c01823f"}',1,'2026-11-22T17:40:19.086Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','agents.create','ef354188-304f-42c6-953f-9dc820b7044b','c50c1b45c1a27fd19647c0e9429032b52c0c2985c692e631b841a5922b8b5850','{"id":"shell"}',1,'2026-11-22T17:40:19.691Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','users.create','67ffa7d5-5d2c-4f9f-84f1-3d9e156dba3f','d87281ae64850bb9e94aa95902d974c3d9557614db16de943767ca0286241455','{"id":"01a20458-367b-7a65-aafb-787368964377","username":"Ann","email":"ann@example.com","avatarUrl":null,"createdAt":"2026-11-22T17:40:19.707Z","removedAt":null,"localOwner":false}',1,'2026-11-22T17:40:19.708Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','users.create','ec071093-3515-4b8f-9bed-612c1cf312b6','1967dc072a31bdf7d59ac5db0795a41da46515aca41724dc84b227f03882928b','{"id":"01a20458-3683-7f73-871d-9f23b748da18","username":"Gone","email":null,"avatarUrl":null,"createdAt":"2026-11-22T17:40:19.715Z","removedAt":null,"localOwner":false}',1,'2026-11-22T17:40:19.715Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','repositories.create','c326ecd2-1ff0-43e5-aa44-18a3d964c937','d3f716601fb1379bbb4d8807af503318884321e772c00c5ed7257315651d3695','{"id":"01a20458-3706-7b5c-9e53-89dd225c6a2c","name":"old","path":"/srv/old","url":null,"defaultBranch":"main","setupCommand":null,"cleanupCommand":null,"checkCommand":null,"createdAt":"2026-11-22T17:40:19.845Z"}',1,'2026-11-22T17:40:19.846Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','boards.create','890c7f40-9d52-42d8-8c99-41fefe63a153','9029cb7cf65e806f9e7bd158e39a8c74d5d721f53568bb3f679a97f66bdfc5c1','{"id":"01a20458-3713-73ef-aa7d-0cb1d5731804","name":"Sprint","description":"two\nlines","ownerId":"01a20458-331c-7b7d-ad72-be23cc9b6746","zones":[],"worktrees":[],"createdAt":"2026-11-22T17:40:19.859Z"}',1,'2026-11-22T17:40:19.866Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','zones.create','ba5999f8-a627-4d5e-8c82-58c2e2481fa7','b1d8da6d4fd4bdd419d73cc0a52f28f986624b38bad4ae41832ad6dacb431330','{"id":"01a20458-371f-7408-a5e8-b061b5c7c8b7","boardId":"01a20458-3713-73ef-aa7d-0cb1d5731804","name":"Doing","color":"#10b981","x":0,"y":0,"width":600,"height":400,"createdAt":"2026-11-22T17:40:19.871Z"}',1,'2026-11-22T17:40:19.871Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','worktrees.create','e6da4143-0d65-4d13-9aed-f9acea060e35','422682206615867ab6e70ee2b192f64b67669eefd74de922730104cf8faa1430','{"jobId":"01a20458-372d-72a8-93b4-1c89e6c757d3"}',1,'2026-11-22T17:40:19.886Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','worktrees.create','50e8e4e1-4020-4ed9-bb7c-6c8a59fa6c5d','31daaa46d0ce61b937612a4cf8c86c49b398a8193719636a93b99720058a07ed','{"jobId":"01a20458-3775-7d47-b99b-cff07228c7be"}',1,'2026-11-22T17:40:19.957Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','boards.create','6b34722c-1463-4856-a283-c3ed89d48fc8','1ffa8dba0e6652d60ba70c6b091f28d1acb74c662a1f1072082b43c2e83137b8','{"id":"01a20458-37d6-7e00-b649-dca1f6f9088c","name":"Old board","description":"","ownerId":"01a20458-331c-7b7d-ad72-be23cc9b6746","zones":[],"worktrees":[],"createdAt":"2026-11-22T17:40:20.054Z"}',1,'2026-11-22T17:40:20.054Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','mcpServers.create','8339b7d7-b20d-4035-9829-20dcbc2b44ed','ff11ecc3e68e74935df670f052099b3e0824d729126f188d5060453965ef4237','{"id":"01a20458-37df-7c71-90c4-93aff800f450","name":"notes","ownerId":"01a20458-331c-7b7d-ad72-be23cc9b6746","transport":"http","command":null,"args":[],"url":"https://mcp.example.com/mcp","env":[],"headers":[],"createdAt":"2026-11-22T17:40:20.063Z"}',1,'2026-11-22T17:40:20.064Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','mcpServers.create','0c89f142-d168-4957-93d1-40f4f62d168b','108c5befa91852ef500add2569264a08f266ff46e689fb1bd6caf9fdac2547b4','{"id":"01a20458-37e4-7c5f-bb22-2354d2d55535","name":"local","ownerId":"01a20458-331c-7b7d-ad72-be23cc9b6746","transport":"stdio","command":"cat","args":[],"url":null,"env":["KEY"],"headers":[],"createdAt":"2026-11-22T17:40:20.068Z"}',1,'2026-11-22T17:40:20.068Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','sessions.create','100418e0-bd16-4a03-9c92-1a37864c1792','6a6ab61cb15c721886b9fb7a7a7b481a6df7d674606fc1b70015b68168cd26f6','{"sessionId":"01a20458-37ed-7ca3-aef0-5b5bfd09722e"}',1,'2026-11-22T17:40:20.078Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','sessions.prompt','0efdd6d1-fc27-4a89-9826-7b55a699d10f','8efbbc92e9da12e24172a3eb2c68d8b242ca02a22df17c91a0ab292b970a060d','{"taskId":"01a20458-37f4-74d8-8013-d59dcb39d66b","sessionId":"01a20458-37ed-7ca3-aef0-5b5bfd09722e"}',1,'2026-11-22T17:40:20.085Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','sessions.create','72d102cb-991e-49a2-94de-f3412a2ebeb2','b0dd8fbc8ce137932031cc267db487048450372e163c234849d8741fd4e472f1','{"sessionId":"01a20458-3920-72da-871d-878ab026e1cc","taskId":"01a20458-3920-72da-871d-878d5f4bfd3e"}',1,'2026-11-22T17:40:20.385Z');
INSERT INTO "idempotency" VALUES('user:01a20458-367b-7a65-aafb-787368964377','sessions.create','6491dcdf-fd7c-45fd-8476-0d0cec172833','f14b01d770649f490cd4d4c688543833465d1524fd25fdbe6bea38bcc0b1d8a3','{"sessionId":"01a20458-3a2e-7a2d-a750-81b1dcc5afe6"}',1,'2026-11-22T17:40:20.655Z');
INSERT INTO "idempotency" VALUES('worker:01a20458-340d-7fb4-b60d-080b94470dda','sessions.create','799a2404-9afb-4b62-a1fa-ffab349789c2','27d102936090cea71a1b69b5a35c6921ff29d1bfebc08c3eb748c8298c01e48e','{"sessionId":"01a20458-3a39-7d33-b2c5-8cacb435d11c"}',1,'2026-11-22T17:40:20.665Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','sessions.prompt','1d8d7d54-110f-4b32-9f99-3fe75a83b10d','3ce103dabdcd4c61d0ba4ad0635a8d6449f99eeeab415c225ca562f6569eaac4','{"taskId":"01a20458-3a4c-79a4-bf31-79172fc42301","sessionId":"01a20458-3a39-7d33-b2c5-8cacb435d11c"}',1,'2026-11-22T17:40:20.684Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','sessions.fork','dc1f5cbc-dded-4594-9be4-25309fe67e7a','4bbffec4c1223f5cc443448ec9f0318c046a98c720ecf0be036d7976115531c4','{"sessionId":"01a20458-3b27-7123-9e1a-3b67d01bd445","taskId":"01a20458-3b27-7123-9e1a-3b6949a05c00","warnings":[],"sync":false}',1,'2026-11-22T17:40:20.904Z');
INSERT INTO "idempotency" VALUES('worker:01a20458-340d-7fb4-b60d-080b94470dda','sessions.spawn','c157ff8b-1a08-4b16-818d-012aba4b87ae','81327e09e4a6556a339e1e74c389d502255b09037e6674215a4be262fdf71ef4','{"sessionId":"01a20458-3b2f-724f-a793-5e1c03657693","taskId":"01a20458-3b2f-724f-a793-5e1eae897aa4","warnings":[],"sync":true}',1,'2026-11-22T17:40:20.911Z');
INSERT INTO "idempotency" VALUES('worker:01a20458-3b30-712b-b2b9-f5db44c9d83b','sessions.report','e8c52394-058a-4441-8154-40e0b1a20e72','3e3dc0ebf6eda53bc18a614f2f424ed1e74c0ede3b2cbaa4a0fdd27fac41713b','{"taskId":"01a20458-3b2f-724f-a793-5e1eae897aa4","sessionId":"01a20458-3b2f-724f-a793-5e1c03657693","status":"completed"}',1,'2026-11-22T17:40:21.491Z');
INSERT INTO "idempotency" VALUES('worker:01a20458-340d-7fb4-b60d-080b94470dda','delegations.create','3096e850-47f9-4038-b869-330e16dcacef','ad5654bcc17f272deb8aab42318450c7337380fac306d163a7bf07d92a9742a5','{"delegationId":"01a20458-3d9d-7aa8-a037-2b1f54706845"}',1,'2026-11-22T17:40:21.533Z');
INSERT INTO "idempotency" VALUES('worker:01a20458-3d9d-7aa8-a037-2b228abce95f','sessions.report','898d5b3f-2940-4aec-a1b5-a15bfdbf8d0c','4c1d40b916e62158fdba7ac49f2abc2645bffe2ec3559c5defaee268e3b0795e','{"taskId":"01a20458-3d9d-7aa8-a037-2b218aede94d","sessionId":"01a20458-3d9d-7aa8-a037-2b1ef9fad2cf","status":"completed"}',1,'2026-11-22T17:40:22.109Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','sessions.create','7739e39f-1961-4772-9e07-6c859555db17','67d38e1a67e9113a83ea91f350dd106337593273b8073e718e3aa05055b802b7','{"sessionId":"01a20458-4004-7d44-9cd2-dcd55d94f4a1"}',1,'2026-11-22T17:40:22.149Z');
INSERT INTO "idempotency" VALUES('worker:01a20458-340d-7fb4-b60d-080b94470dda','sessions.create','eb75de19-d7d6-47f8-b6b9-90f5adfc74d9','27d102936090cea71a1b69b5a35c6921ff29d1bfebc08c3eb748c8298c01e48e','{"sessionId":"01a20458-4017-7fd2-ba88-7e55afa3983e"}',1,'2026-11-22T17:40:22.167Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','sessions.prompt','d18c3ad2-6437-4453-9f21-5eb275972d2f','a2553245935ca2fdb222674b9db398d07cc4877ac7ba9194715a3786be2c1c11','{"taskId":"01a20458-401c-7535-aeeb-6db12f2544a2","sessionId":"01a20458-4017-7fd2-ba88-7e55afa3983e"}',1,'2026-11-22T17:40:22.172Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','sessions.prompt','a1a33883-3088-4174-bbfc-876de20bc2cf','ab0f3bcd810c867193d581016d427e3c9ad660f13b510ac2d7a4ef7b2428baa1','{"taskId":"01a20458-40f5-799d-a085-cecd0e2f7e2c","sessionId":"01a20458-4017-7fd2-ba88-7e55afa3983e","queued":true,"queuePosition":1}',1,'2026-11-22T17:40:22.389Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','sessions.prompt','900c097d-ca8e-4ea0-92e2-218739c560bd','cb2e73d4ce570c09a33307e5a68c8dc7604cc2c9730f3df7454f1b2e40570a38','{"taskId":"01a20458-40fb-752b-b6b1-3a675e05e714","sessionId":"01a20458-4017-7fd2-ba88-7e55afa3983e","queued":true,"queuePosition":2}',1,'2026-11-22T17:40:22.395Z');
INSERT INTO "idempotency" VALUES('worker:01a20458-340d-7fb4-b60d-080b94470dda','sessions.create','f1c56e71-84d5-439b-bf5d-5f6ff63d3e13','27d102936090cea71a1b69b5a35c6921ff29d1bfebc08c3eb748c8298c01e48e','{"sessionId":"01a20458-4108-74f7-886a-ef8cfea2536d"}',1,'2026-11-22T17:40:22.408Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','sessions.prompt','a45d66d8-9043-466a-bd47-e9ad99f5d2d1','f079e4764be8c64a3c2bb36136e91d4ed891dcf14a29a223c8982bee38cc2eb2','{"taskId":"01a20458-410c-7067-ac98-0df0e3945dfd","sessionId":"01a20458-4108-74f7-886a-ef8cfea2536d"}',1,'2026-11-22T17:40:22.412Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','approvals.answer','01234902-1e9a-49ba-a61d-067f57ddf9e2','9ad5bb5fb73d4b441cf94994aff22bec3afda896013dc96671a5b46d44b79534','{"id":"01a20458-4381-7461-87f2-9b2258ba9df2","sessionId":"01a20458-4108-74f7-886a-ef8cfea2536d","workerId":"01a20458-410e-7c7e-aa4a-5e8446f64b57","taskId":"01a20458-410c-7067-ac98-0df0e3945dfd","text":"Allow Bash: npm test","tool":"Bash","options":[{"id":"1","label":"Yes","kind":"allow"},{"id":"2","label":"Yes, and always allow Bash","kind":"allow"},{"id":"3","label":"No","kind":"deny"}],"source":"screen","state":"answered","optionId":"1","answeredBy":"user:01a20458-331c-7b7d-ad72-be23cc9b6746","createdAt":"2026-11-22T17:40:23.041Z","endedAt":"2026-11-22T17:40:23.074Z"}',1,'2026-11-22T17:40:23.074Z');
INSERT INTO "idempotency" VALUES('worker:01a20458-340d-7fb4-b60d-080b94470dda','sessions.create','e52dacc3-6cbd-4aa1-ab49-fd0117fcf625','27d102936090cea71a1b69b5a35c6921ff29d1bfebc08c3eb748c8298c01e48e','{"sessionId":"01a20458-43ad-7754-a208-e7550605ffbd"}',1,'2026-11-22T17:40:23.085Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','sessions.prompt','d020d0e0-c941-4dd3-936c-d33d97d0f74a','6e70457287861c628d26a0f57701a64fc1d51e2be5d827bdb49b23f94422b9df','{"taskId":"01a20458-43b6-7f43-ba4c-5bef10085c90","sessionId":"01a20458-43ad-7754-a208-e7550605ffbd"}',1,'2026-11-22T17:40:23.094Z');
INSERT INTO "idempotency" VALUES('user:01a20458-331c-7b7d-ad72-be23cc9b6746','workers.create','aaf3aa28-001f-4b08-815f-f3bfc68c925c','f515806f69c9133131845cc624670b8105b2ab6fd1fa310a9169696f66ca337c','{"workerId":"01a20458-45d4-75f7-9225-87830a2978d0"}',1,'2026-11-22T17:40:23.638Z');
INSERT INTO "inputs" VALUES('01a20458-34b2-7915-85b8-cbae0ad423ec','01a20458-340d-7fb4-b60d-080b94470dda','01a20458-340d-7fb4-b60d-080a71ee528d','prompt',replace('@say one\n@say two','\n',char(10)),'ended',265,282,'title','2026-11-22T17:40:19.250Z','2026-11-22T17:40:19.481Z');
INSERT INTO "inputs" VALUES('01a20458-3802-7458-aefd-315f3ac736a5','01a20458-37f7-7841-a07e-ec8bb0228306','01a20458-37f4-74d8-8013-d59dcb39d66b','prompt','@say a lighthouse in the fog','ended',265,282,'title','2026-11-22T17:40:20.098Z','2026-11-22T17:40:20.303Z');
INSERT INTO "inputs" VALUES('01a20458-3941-74af-9cce-21252e1af960','01a20458-3923-7dd6-af1d-fcb7d3fca019','01a20458-3920-72da-871d-878d5f4bfd3e','prompt',replace('Context files: "readme.md"\n\n@say the cathedral stands','\n',char(10)),'ended',265,282,'title','2026-11-22T17:40:20.417Z','2026-11-22T17:40:20.630Z');
INSERT INTO "inputs" VALUES('01a20458-3a5a-745d-8885-03cb79898011','01a20458-3a4e-7cfa-ac6a-678222060500','01a20458-3a4c-79a4-bf31-79172fc42301','prompt','@say done','ended',265,281,'title','2026-11-22T17:40:20.698Z','2026-11-22T17:40:20.868Z');
INSERT INTO "inputs" VALUES('01a20458-3b3b-7d29-aaa0-3bfd83790d04','01a20458-3b29-7566-802c-d0e62b5f6b50','01a20458-3b27-7123-9e1a-3b6949a05c00','prompt','@say other','ended',285,302,'title','2026-11-22T17:40:20.923Z','2026-11-22T17:40:21.129Z');
INSERT INTO "inputs" VALUES('01a20458-3b44-7566-a179-0541ffa46cf4','01a20458-3b30-712b-b2b9-f5db44c9d83b','01a20458-3b2f-724f-a793-5e1eae897aa4','prompt','@report succeeded below','ended',265,282,'title','2026-11-22T17:40:20.932Z','2026-11-22T17:40:21.140Z');
INSERT INTO "inputs" VALUES('01a20458-3d91-797a-8330-5c2bcc1b4839','01a20458-340d-7fb4-b60d-080b94470dda','01a20458-3d90-7459-ba31-d3dfce4978ae','notice',replace('[agent-console notices: 1]\n- ended session 01a20458-3b2f-724f "@report succeeded below" completed (report, certain): below\n[end of agent-console notices]','\n',char(10)),'ended',355,373,'title','2026-11-22T17:40:21.521Z','2026-11-22T17:40:21.647Z');
INSERT INTO "inputs" VALUES('01a20458-3dcd-7cde-ac5d-0a429619fb18','01a20458-3d9d-7aa8-a037-2b228abce95f','01a20458-3d9d-7aa8-a037-2b218aede94d','prompt','@report succeeded measured the bridge','ended',265,282,'title','2026-11-22T17:40:21.581Z','2026-11-22T17:40:21.747Z');
INSERT INTO "inputs" VALUES('01a20458-3fe4-71d5-9df6-db411e790156','01a20458-340d-7fb4-b60d-080b94470dda','01a20458-3fe1-70e1-abb0-1b52d775d42e','notice',replace('[agent-console notices: 1]\n- ended session 01a20458-3d9d-7aa8 "@report succeeded measured the bridge" completed (report, certain): measured the bridge\n[end of agent-console notices]','\n',char(10)),'ended',467,485,'title','2026-11-22T17:40:22.116Z','2026-11-22T17:40:22.247Z');
INSERT INTO "inputs" VALUES('01a20458-402b-76f3-8932-89540c86b05a','01a20458-401e-7486-b217-6d836f9a0d7e','01a20458-401c-7535-aeeb-6db12f2544a2','prompt','@sleep 600000','accepted',265,282,'title','2026-11-22T17:40:22.187Z','2026-11-22T17:40:22.370Z');
INSERT INTO "inputs" VALUES('01a20458-411f-7ae8-9ff5-178f4dc5c963','01a20458-410e-7c7e-aa4a-5e8446f64b57','01a20458-410c-7067-ac98-0df0e3945dfd','prompt','@permission Bash npm test','ended',265,282,'title','2026-11-22T17:40:22.431Z','2026-11-22T17:40:22.646Z');
INSERT INTO "inputs" VALUES('01a20458-43ca-7598-9aa7-08063502509f','01a20458-43b8-78f2-a5fb-0bff61177960','01a20458-43b6-7f43-ba4c-5bef10085c90','prompt','@permission Bash npm test','accepted',265,282,'title','2026-11-22T17:40:23.115Z','2026-11-22T17:40:23.296Z');
INSERT INTO "jobs" VALUES('01a20458-372d-72a8-93b4-1c89e6c757d3','worktree-creation','succeeded',1.0,'done','{"worktreeId":"01a20458-372d-72a8-93b4-1c8813e2d249"}','{"worktreeId":"01a20458-372d-72a8-93b4-1c8813e2d249","branch":"feature/kept","worktreePath":"/srv/console/repositories/local/shop/worktrees/wt-002-889c","warnings":[]}',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746','2026-11-22T17:40:19.885Z','2026-11-22T17:40:19.936Z');
INSERT INTO "jobs" VALUES('01a20458-3775-7d47-b99b-cff07228c7be','worktree-creation','succeeded',1.0,'done','{"worktreeId":"01a20458-3775-7d47-b99b-cfef9456deb9"}','{"worktreeId":"01a20458-3775-7d47-b99b-cfef9456deb9","branch":"feature/gone","worktreePath":"/srv/console/repositories/local/shop/worktrees/wt-003-d108","warnings":[]}',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746','2026-11-22T17:40:19.957Z','2026-11-22T17:40:19.981Z');
INSERT INTO "login_codes" VALUES('fa324cec527e08b7765bc921d1d6f9a5257d9ea5c380820261286b361c468517','01a20458-331c-7b7d-ad72-be23cc9b6746','2026-11-22T17:41:19.781Z');
INSERT INTO "mcp_sessions" VALUES('47ccb004-cb36-4ed9-b687-b69234319443','{"protocolVersion":"2025-11-25","client":{"name":"legacy","version":"1"},"watched":[]}','2026-11-22T17:40:23.670Z','2026-11-22T17:40:23.670Z');
INSERT INTO "messages" VALUES('01a20458-349c-7f07-a2e4-e07483a17b36','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340d-7fb4-b60d-080a71ee528d',1,'user','text','[{"type":"text","text":"@say one\n@say two"}]','console',NULL,'2026-11-22T17:40:19.228Z','7c670aae-8762-4fd7-a225-c31c9ee6e875');
INSERT INTO "messages" VALUES('01a20458-359f-7192-865e-3d56d1ba7272','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340d-7fb4-b60d-080a71ee528d',2,'agent','text','[{"type":"text","text":"one"}]','transcript',354,'2026-11-22T17:40:19.479Z','6d82489b-102d-42d7-b78a-642f4c1bd17a');
INSERT INTO "messages" VALUES('01a20458-35a0-7c17-9fc9-d791f88b9bee','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340d-7fb4-b60d-080a71ee528d',3,'agent','text','[{"type":"text","text":"two"}]','transcript',355,'2026-11-22T17:40:19.479Z','30a618c2-b509-4e7f-95f2-a62adac684e7');
INSERT INTO "messages" VALUES('01a20458-37f6-7481-990e-bf8ea4afff4b','01a20458-37ed-7ca3-aef0-5b5bfd09722e','01a20458-37f4-74d8-8013-d59dcb39d66b',1,'user','text','[{"type":"text","text":"@say a lighthouse in the fog"}]','console',NULL,'2026-11-22T17:40:20.086Z','45a163ee-6519-4586-83b2-48590af3fe51');
INSERT INTO "messages" VALUES('01a20458-38d6-78ad-bdd0-e63ff32aa258','01a20458-37ed-7ca3-aef0-5b5bfd09722e','01a20458-37f4-74d8-8013-d59dcb39d66b',2,'agent','text','[{"type":"text","text":"a lighthouse in the fog"}]','transcript',370,'2026-11-22T17:40:20.306Z','49e4b215-a195-4d44-b4fc-a11a1b9c2ccb');
INSERT INTO "messages" VALUES('01a20458-3922-7e76-9d77-513b7dbac7f8','01a20458-3920-72da-871d-878ab026e1cc','01a20458-3920-72da-871d-878d5f4bfd3e',1,'user','text','[{"type":"text","text":"@say the cathedral stands"}]','console',NULL,'2026-11-22T17:40:20.386Z','b1b2e445-0bdf-41e9-bc54-ceec99741b4e');
INSERT INTO "messages" VALUES('01a20458-3a1f-7829-9874-9095c8dbc8b3','01a20458-3920-72da-871d-878ab026e1cc','01a20458-3920-72da-871d-878d5f4bfd3e',2,'agent','text','[{"type":"text","text":"context file readme.md (7 bytes)"}]','transcript',400,'2026-11-22T17:40:20.633Z','2b236e14-5a10-4ba4-a79d-e5a745907911');
INSERT INTO "messages" VALUES('01a20458-3a1f-7829-9874-9096c846e2b1','01a20458-3920-72da-871d-878ab026e1cc','01a20458-3920-72da-871d-878d5f4bfd3e',3,'agent','text','[{"type":"text","text":"the cathedral stands"}]','transcript',401,'2026-11-22T17:40:20.634Z','a4ac3422-4b23-4682-9067-d51cf066ce49');
INSERT INTO "messages" VALUES('01a20458-3a4d-7b19-bc30-8afc3e4ade7f','01a20458-3a39-7d33-b2c5-8cacb435d11c','01a20458-3a4c-79a4-bf31-79172fc42301',1,'user','text','[{"type":"text","text":"@say done"}]','console',NULL,'2026-11-22T17:40:20.685Z','09c9f0cf-0718-4444-a5ed-bb35a4918503');
INSERT INTO "messages" VALUES('01a20458-3b0a-729e-b142-654dc848cc54','01a20458-3a39-7d33-b2c5-8cacb435d11c','01a20458-3a4c-79a4-bf31-79172fc42301',2,'agent','text','[{"type":"text","text":"done"}]','transcript',350,'2026-11-22T17:40:20.869Z','c0972915-eb1a-4f0b-99cc-c9774c7dea1f');
INSERT INTO "messages" VALUES('01a20458-3b28-7d5f-82de-7c4c3c73ae5b','01a20458-3b27-7123-9e1a-3b67d01bd445','01a20458-3b27-7123-9e1a-3b6949a05c00',3,'user','text','[{"type":"text","text":"@say other"}]','console',NULL,'2026-11-22T17:40:20.904Z','8f466606-5fe7-443a-9f2d-447245f59c8c');
INSERT INTO "messages" VALUES('01a20458-3b2f-724f-a793-5e1f9391219e','01a20458-3b2f-724f-a793-5e1c03657693','01a20458-3b2f-724f-a793-5e1eae897aa4',1,'user','text','[{"type":"text","text":"@report succeeded below"}]','console',NULL,'2026-11-22T17:40:20.911Z','51e4b4bf-6cf1-4137-bf6c-debf9b804039');
INSERT INTO "messages" VALUES('01a20458-3b89-76d8-ac57-1ef65748c4cc','01a20458-3b27-7123-9e1a-3b67d01bd445',NULL,1,'user','text','[{"type":"text","text":"@say done"}]','transcript',NULL,'2026-11-22T17:40:20.868Z','09c9f0cf-0718-4444-a5ed-bb35a4918503');
INSERT INTO "messages" VALUES('01a20458-3b89-76d8-ac57-1ef7727386fd','01a20458-3b27-7123-9e1a-3b67d01bd445',NULL,2,'agent','text','[{"type":"text","text":"done"}]','transcript',NULL,'2026-11-22T17:40:20.869Z','c0972915-eb1a-4f0b-99cc-c9774c7dea1f');
INSERT INTO "messages" VALUES('01a20458-3c0f-70cc-9a91-0e4b0954b187','01a20458-3b27-7123-9e1a-3b67d01bd445','01a20458-3b27-7123-9e1a-3b6949a05c00',4,'agent','text','[{"type":"text","text":"other"}]','transcript',372,'2026-11-22T17:40:21.131Z','4dc5d74b-ff5a-4def-8f00-a558ed776341');
INSERT INTO "messages" VALUES('01a20458-3d72-717a-8c7c-415ddb7552b3','01a20458-3b2f-724f-a793-5e1c03657693','01a20458-3b2f-724f-a793-5e1eae897aa4',2,'agent','text','[{"type":"text","text":"below"}]','console',NULL,'2026-11-22T17:40:21.490Z',NULL);
INSERT INTO "messages" VALUES('01a20458-3d90-7459-ba31-d3e03ccbb24d','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-3d90-7459-ba31-d3dfce4978ae',4,'system','notice','[{"type":"text","text":"[agent-console notices: 1]\n- ended session 01a20458-3b2f-724f \"@report succeeded below\" completed (report, certain): below\n[end of agent-console notices]"}]','console',NULL,'2026-11-22T17:40:21.520Z','f08d8e81-d822-481e-93c5-1920cee494b7');
INSERT INTO "messages" VALUES('01a20458-3d96-7e3e-8b8d-ef911754792d','01a20458-3b2f-724f-a793-5e1c03657693','01a20458-3b2f-724f-a793-5e1eae897aa4',3,'agent','text','[{"type":"text","text":"tool report_result: {\"taskId\":\"01a20458-3b2f-724f-a793-5e1eae897aa4\",\"sessionId\":\"01a20458-3b2f-724f-a793-5e1c03657693\",\"status\":\"completed\"}"}]','transcript',488,'2026-11-22T17:40:21.507Z','f67738d9-15d3-412b-b248-091658565726');
INSERT INTO "messages" VALUES('01a20458-3dc7-7842-882d-071bbb65e3e7','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','01a20458-3d9d-7aa8-a037-2b218aede94d',1,'user','text','[{"type":"text","text":"@report succeeded measured the bridge"}]','console',NULL,'2026-11-22T17:40:21.575Z','e3ea0013-47de-4295-a74d-85c0f8a9ebcb');
INSERT INTO "messages" VALUES('01a20458-3e12-7eef-be70-dae6e9bbb055','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-3d90-7459-ba31-d3dfce4978ae',5,'agent','text','[{"type":"text","text":"noticed 1: 01a20458-3b2f-724f"}]','transcript',467,'2026-11-22T17:40:21.647Z','cbdee672-668d-4a54-92d0-1cc370ab795f');
INSERT INTO "messages" VALUES('01a20458-3fdd-7406-95f2-6d9b1bced38d','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','01a20458-3d9d-7aa8-a037-2b218aede94d',2,'agent','text','[{"type":"text","text":"measured the bridge"}]','console',NULL,'2026-11-22T17:40:22.109Z',NULL);
INSERT INTO "messages" VALUES('01a20458-3fe1-70e1-abb0-1b5328d40134','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-3fe1-70e1-abb0-1b52d775d42e',6,'system','notice','[{"type":"text","text":"[agent-console notices: 1]\n- ended session 01a20458-3d9d-7aa8 \"@report succeeded measured the bridge\" completed (report, certain): measured the bridge\n[end of agent-console notices]"}]','console',NULL,'2026-11-22T17:40:22.113Z','e56095df-179d-4478-b7df-2af014007ce4');
INSERT INTO "messages" VALUES('01a20458-3ff8-70cb-8af4-c07d8b2023a8','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','01a20458-3d9d-7aa8-a037-2b218aede94d',3,'agent','text','[{"type":"text","text":"tool report_result: {\"taskId\":\"01a20458-3d9d-7aa8-a037-2b218aede94d\",\"sessionId\":\"01a20458-3d9d-7aa8-a037-2b1ef9fad2cf\",\"status\":\"completed\"}"}]','transcript',488,'2026-11-22T17:40:22.123Z','c570b97f-7901-4fee-a88d-3ae2bf825a8f');
INSERT INTO "messages" VALUES('01a20458-401d-7440-87c5-a5d4639e27c4','01a20458-4017-7fd2-ba88-7e55afa3983e','01a20458-401c-7535-aeeb-6db12f2544a2',1,'user','text','[{"type":"text","text":"@sleep 600000"}]','console',NULL,'2026-11-22T17:40:22.173Z','fa87ae91-0eae-450f-8451-694451c115ac');
INSERT INTO "messages" VALUES('01a20458-406b-7e50-a047-468367271946','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-3fe1-70e1-abb0-1b52d775d42e',7,'agent','text','[{"type":"text","text":"noticed 1: 01a20458-3d9d-7aa8"}]','transcript',579,'2026-11-22T17:40:22.247Z','4eacc629-7586-48ab-bf93-094a5a28784d');
INSERT INTO "messages" VALUES('01a20458-410d-7e75-9cc1-caf230ab531e','01a20458-4108-74f7-886a-ef8cfea2536d','01a20458-410c-7067-ac98-0df0e3945dfd',1,'user','text','[{"type":"text","text":"@permission Bash npm test"}]','console',NULL,'2026-11-22T17:40:22.413Z','f9f5e138-7a74-430a-9dc6-ae3df40eae56');
INSERT INTO "messages" VALUES('01a20458-4273-7469-ad4f-ea6b1ae59f60','01a20458-4108-74f7-886a-ef8cfea2536d','01a20458-410c-7067-ac98-0df0e3945dfd',2,'agent','text','[{"type":"text","text":"? Allow Bash: npm test\n  1. Yes\n  2. Yes, and always allow Bash\n  3. No"}]','transcript',421,'2026-11-22T17:40:22.650Z','2d9f9ca6-f1e7-4e4b-bff8-cc9f721d12a9');
INSERT INTO "messages" VALUES('01a20458-43b0-70c7-803f-cb986c98a538','01a20458-4108-74f7-886a-ef8cfea2536d','01a20458-410c-7067-ac98-0df0e3945dfd',3,'agent','text','[{"type":"text","text":"Bash allowed"}]','transcript',496,'2026-11-22T17:40:23.077Z','f0982c7c-a0cb-4453-819c-e5b19fb6addd');
INSERT INTO "messages" VALUES('01a20458-43b7-7e9a-8ed2-9882ce1ddb31','01a20458-43ad-7754-a208-e7550605ffbd','01a20458-43b6-7f43-ba4c-5bef10085c90',1,'user','text','[{"type":"text","text":"@permission Bash npm test"}]','console',NULL,'2026-11-22T17:40:23.095Z','b94ce601-6e0f-4e3d-8cb6-ae0332c32f8d');
INSERT INTO "messages" VALUES('01a20458-4501-7563-b5aa-4455e5c6bde6','01a20458-43ad-7754-a208-e7550605ffbd','01a20458-43b6-7f43-ba4c-5bef10085c90',2,'agent','text','[{"type":"text","text":"? Allow Bash: npm test\n  1. Yes\n  2. Yes, and always allow Bash\n  3. No"}]','transcript',421,'2026-11-22T17:40:23.299Z','d2488d05-cf9b-4138-ba42-585d2e072cca');
INSERT INTO "meta" VALUES('ownerId','01a20458-331c-7b7d-ad72-be23cc9b6746');
INSERT INTO "meta" VALUES('runner','10924:107230');
INSERT INTO "notices" VALUES('01a20458-3d73-791a-a0bd-1edef2ca5d8e','01a20458-340b-70ee-8488-9c0471ee1ac3','ended','01a20458-3b2f-724f-a793-5e1c03657693','01a20458-3b2f-724f-a793-5e1eae897aa4',NULL,'@report succeeded below','completed','report',1,'below','delivered','01a20458-3d90-7459-ba31-d3dfce4978ae','2026-11-22T17:40:21.491Z','2026-11-22T17:40:21.652Z');
INSERT INTO "notices" VALUES('01a20458-3fdd-7406-95f2-6d9cb3d30935','01a20458-340b-70ee-8488-9c0471ee1ac3','ended','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','01a20458-3d9d-7aa8-a037-2b218aede94d','01a20458-3d9d-7aa8-a037-2b1f54706845','@report succeeded measured the bridge','completed','report',1,'measured the bridge','delivered','01a20458-3fe1-70e1-abb0-1b52d775d42e','2026-11-22T17:40:22.109Z','2026-11-22T17:40:22.252Z');
INSERT INTO "repositories" VALUES('01a20458-33d5-775d-92ac-b57f15087465','shop','/srv/shop','/srv/shop/.git',NULL,'main',NULL,NULL,'true','/srv/console/repositories/local/shop/worktrees',5,'2026-11-22T17:40:19.028Z',NULL);
INSERT INTO "repositories" VALUES('01a20458-3706-7b5c-9e53-89dd225c6a2c','old','/srv/old','/srv/old/.git',NULL,'main',NULL,NULL,NULL,'/srv/console/repositories/local/old/worktrees',1,'2026-11-22T17:40:19.845Z','2026-11-22T17:40:19.852Z');
INSERT INTO "sessions" VALUES('01a20458-340b-70ee-8488-9c0471ee1ac3','worktree','01a20458-340a-768b-b564-50d90acd50be','01a20458-33d5-775d-92ac-b57f15087465','/srv/console/repositories/local/shop/worktrees/wt-001-71e5','scripted','@say one','','open',NULL,0,'acceptEdits',NULL,'acceptEdits',NULL,NULL,NULL,NULL,0,'01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,NULL,'01a20458-340b-70ee-8488-9c0471ee1ac3',1,7,'2026-11-22T17:40:19.083Z','2026-11-22T17:40:22.251Z',NULL,NULL,'workspace','[]');
INSERT INTO "sessions" VALUES('01a20458-37ed-7ca3-aef0-5b5bfd09722e','quick',NULL,NULL,'/srv','scripted','Quick notes','über Äpfel','stopped',NULL,0,'acceptEdits',NULL,'acceptEdits',NULL,NULL,NULL,NULL,0,'01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,NULL,'01a20458-37ed-7ca3-aef0-5b5bfd09722e',1,2,'2026-11-22T17:40:20.077Z','2026-11-22T17:40:20.365Z','2026-11-22T17:40:20.365Z',NULL,'workspace','[]');
INSERT INTO "sessions" VALUES('01a20458-3920-72da-871d-878ab026e1cc','worktree','01a20458-372d-72a8-93b4-1c8813e2d249','01a20458-33d5-775d-92ac-b57f15087465','/srv/console/repositories/local/shop/worktrees/wt-002-889c','scripted','In a worktree','','open',NULL,0,'acceptEdits',NULL,'acceptEdits',NULL,NULL,NULL,NULL,0,'01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,NULL,'01a20458-3920-72da-871d-878ab026e1cc',1,3,'2026-11-22T17:40:20.384Z','2026-11-22T17:40:20.640Z',NULL,NULL,'workspace','["readme.md"]');
INSERT INTO "sessions" VALUES('01a20458-3a2e-7a2d-a750-81b1dcc5afe6','worktree','01a20458-372d-72a8-93b4-1c8813e2d249','01a20458-33d5-775d-92ac-b57f15087465','/srv/console/repositories/local/shop/worktrees/wt-002-889c','scripted','Private','','open',NULL,0,'acceptEdits',NULL,'acceptEdits',NULL,NULL,NULL,NULL,0,'01a20458-367b-7a65-aafb-787368964377',NULL,NULL,NULL,0,0,'2026-11-22T17:40:20.654Z','2026-11-22T17:40:20.654Z',NULL,NULL,'private','[]');
INSERT INTO "sessions" VALUES('01a20458-3a39-7d33-b2c5-8cacb435d11c','worktree','01a20458-340a-768b-b564-50d90acd50be','01a20458-33d5-775d-92ac-b57f15087465','/srv/console/repositories/local/shop/worktrees/wt-001-71e5','scripted','','','open',NULL,0,'acceptEdits',NULL,'acceptEdits','01a20458-340b-70ee-8488-9c0471ee1ac3',NULL,NULL,NULL,1,'01a20458-331c-7b7d-ad72-be23cc9b6746','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-3a39-7d33-b2c5-8cacb435d11c',1,2,'2026-11-22T17:40:20.665Z','2026-11-22T17:40:20.874Z',NULL,NULL,'workspace','[]');
INSERT INTO "sessions" VALUES('01a20458-3b27-7123-9e1a-3b67d01bd445','worktree','01a20458-340a-768b-b564-50d90acd50be','01a20458-33d5-775d-92ac-b57f15087465','/srv/console/repositories/local/shop/worktrees/wt-001-71e5','scripted','Fork','','open',NULL,0,'acceptEdits',NULL,'acceptEdits',NULL,'01a20458-3a39-7d33-b2c5-8cacb435d11c',NULL,'01a20458-3a4c-79a4-bf31-79172fc42301',1,'01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,NULL,'01a20458-3b27-7123-9e1a-3b67d01bd445',1,4,'2026-11-22T17:40:20.903Z','2026-11-22T17:40:21.135Z',NULL,NULL,'workspace','[]');
INSERT INTO "sessions" VALUES('01a20458-3b2f-724f-a793-5e1c03657693','worktree','01a20458-340a-768b-b564-50d90acd50be','01a20458-33d5-775d-92ac-b57f15087465','/srv/console/repositories/local/shop/worktrees/wt-001-71e5','scripted','@report succeeded below','','open',NULL,0,'acceptEdits',NULL,'acceptEdits','01a20458-3a39-7d33-b2c5-8cacb435d11c',NULL,'01a20458-3a4c-79a4-bf31-79172fc42301',NULL,2,'01a20458-331c-7b7d-ad72-be23cc9b6746','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-3b2f-724f-a793-5e1c03657693',1,3,'2026-11-22T17:40:20.911Z','2026-11-22T17:40:21.527Z',NULL,NULL,'workspace','[]');
INSERT INTO "sessions" VALUES('01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','worktree','01a20458-3d9c-7713-bd96-aa7199a93039','01a20458-33d5-775d-92ac-b57f15087465','/srv/console/repositories/local/shop/worktrees/wt-004-8348','scripted','@report succeeded measured the bridge','','open',NULL,0,'acceptEdits',NULL,'acceptEdits','01a20458-340b-70ee-8488-9c0471ee1ac3',NULL,NULL,NULL,1,'01a20458-331c-7b7d-ad72-be23cc9b6746','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf',1,3,'2026-11-22T17:40:21.532Z','2026-11-22T17:40:22.137Z',NULL,NULL,'workspace','[]');
INSERT INTO "sessions" VALUES('01a20458-4004-7d44-9cd2-dcd55d94f4a1','quick',NULL,NULL,'/srv','scripted','Removed','','open',NULL,0,'acceptEdits',NULL,'acceptEdits',NULL,NULL,NULL,NULL,0,'01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,NULL,NULL,0,0,'2026-11-22T17:40:22.148Z','2026-11-22T17:40:22.148Z',NULL,'2026-11-22T17:40:22.158Z','workspace','[]');
INSERT INTO "sessions" VALUES('01a20458-4017-7fd2-ba88-7e55afa3983e','worktree','01a20458-340a-768b-b564-50d90acd50be','01a20458-33d5-775d-92ac-b57f15087465','/srv/console/repositories/local/shop/worktrees/wt-001-71e5','scripted','','','open',NULL,0,'acceptEdits',NULL,'acceptEdits','01a20458-340b-70ee-8488-9c0471ee1ac3',NULL,NULL,NULL,1,'01a20458-331c-7b7d-ad72-be23cc9b6746','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-4017-7fd2-ba88-7e55afa3983e',1,1,'2026-11-22T17:40:22.167Z','2026-11-22T17:40:22.395Z',NULL,NULL,'workspace','[]');
INSERT INTO "sessions" VALUES('01a20458-4108-74f7-886a-ef8cfea2536d','worktree','01a20458-340a-768b-b564-50d90acd50be','01a20458-33d5-775d-92ac-b57f15087465','/srv/console/repositories/local/shop/worktrees/wt-001-71e5','scripted','','','open',NULL,0,'acceptEdits',NULL,'acceptEdits','01a20458-340b-70ee-8488-9c0471ee1ac3',NULL,NULL,NULL,1,'01a20458-331c-7b7d-ad72-be23cc9b6746','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-4108-74f7-886a-ef8cfea2536d',1,3,'2026-11-22T17:40:22.408Z','2026-11-22T17:40:23.090Z',NULL,NULL,'workspace','[]');
INSERT INTO "sessions" VALUES('01a20458-43ad-7754-a208-e7550605ffbd','worktree','01a20458-340a-768b-b564-50d90acd50be','01a20458-33d5-775d-92ac-b57f15087465','/srv/console/repositories/local/shop/worktrees/wt-001-71e5','scripted','','','open',NULL,0,'acceptEdits',NULL,'acceptEdits','01a20458-340b-70ee-8488-9c0471ee1ac3',NULL,NULL,NULL,1,'01a20458-331c-7b7d-ad72-be23cc9b6746','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-43ad-7754-a208-e7550605ffbd',1,2,'2026-11-22T17:40:23.085Z','2026-11-22T17:40:23.425Z',NULL,NULL,'workspace','[]');
INSERT INTO "settings" VALUES('delegationChildren','100');
INSERT INTO "settings" VALUES('liveSessions','500');
INSERT INTO "settings" VALUES('defaultAgentId','"scripted"');
INSERT INTO "settings" VALUES('reminderSeconds','61');
INSERT INTO "tasks" VALUES('01a20458-340d-7fb4-b60d-080a71ee528d','01a20458-340b-70ee-8488-9c0471ee1ac3','prompt',replace('@say one\n@say two','\n',char(10)),'completed',NULL,'title',0,'person','01a20458-331c-7b7d-ad72-be23cc9b6746',1,'01a20458-340c-7a68-9e97-89522c01823f',1.0,NULL,0,NULL,NULL,'two','[]',NULL,NULL,'{"inputTokens":5,"outputTokens":2,"cacheReadTokens":0,"costUsd":null,"source":"transcript"}',3,'2026-11-22T17:40:19.085Z','2026-11-22T17:40:19.228Z','2026-11-22T17:40:19.492Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "tasks" VALUES('01a20458-37f4-74d8-8013-d59dcb39d66b','01a20458-37ed-7ca3-aef0-5b5bfd09722e','prompt','@say a lighthouse in the fog','completed',NULL,'title',0,'person','01a20458-331c-7b7d-ad72-be23cc9b6746',1,NULL,1.0,NULL,0,NULL,NULL,'a lighthouse in the fog','[]',NULL,NULL,'{"inputTokens":7,"outputTokens":6,"cacheReadTokens":0,"costUsd":null,"source":"transcript"}',3,'2026-11-22T17:40:20.084Z','2026-11-22T17:40:20.086Z','2026-11-22T17:40:20.312Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "tasks" VALUES('01a20458-3920-72da-871d-878d5f4bfd3e','01a20458-3920-72da-871d-878ab026e1cc','prompt','@say the cathedral stands','completed',NULL,'title',0,'person','01a20458-331c-7b7d-ad72-be23cc9b6746',1,NULL,1.0,NULL,0,NULL,NULL,'the cathedral stands','[]',NULL,NULL,'{"inputTokens":14,"outputTokens":13,"cacheReadTokens":0,"costUsd":null,"source":"transcript"}',3,'2026-11-22T17:40:20.384Z','2026-11-22T17:40:20.386Z','2026-11-22T17:40:20.645Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "tasks" VALUES('01a20458-3a4c-79a4-bf31-79172fc42301','01a20458-3a39-7d33-b2c5-8cacb435d11c','prompt','@say done','completed',NULL,'title',0,'person','01a20458-331c-7b7d-ad72-be23cc9b6746',1,NULL,1.0,NULL,0,NULL,NULL,'done','[]',NULL,NULL,'{"inputTokens":3,"outputTokens":1,"cacheReadTokens":0,"costUsd":null,"source":"transcript"}',3,'2026-11-22T17:40:20.684Z','2026-11-22T17:40:20.685Z','2026-11-22T17:40:20.881Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "tasks" VALUES('01a20458-3b27-7123-9e1a-3b6949a05c00','01a20458-3b27-7123-9e1a-3b67d01bd445','prompt','@say other','completed',NULL,'title',0,'person','01a20458-331c-7b7d-ad72-be23cc9b6746',1,NULL,1.0,NULL,0,NULL,NULL,'other','[]',NULL,NULL,'{"inputTokens":3,"outputTokens":2,"cacheReadTokens":0,"costUsd":null,"source":"transcript"}',3,'2026-11-22T17:40:20.903Z','2026-11-22T17:40:20.904Z','2026-11-22T17:40:21.136Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "tasks" VALUES('01a20458-3b2f-724f-a793-5e1eae897aa4','01a20458-3b2f-724f-a793-5e1c03657693','prompt','@report succeeded below','completed',NULL,'report',1,'session','01a20458-340b-70ee-8488-9c0471ee1ac3',1,NULL,1.0,NULL,0,NULL,NULL,'below','[]',NULL,NULL,'{"inputTokens":6,"outputTokens":36,"cacheReadTokens":0,"costUsd":null,"source":"transcript"}',3,'2026-11-22T17:40:20.911Z','2026-11-22T17:40:20.911Z','2026-11-22T17:40:21.490Z','session:01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3');
INSERT INTO "tasks" VALUES('01a20458-3d90-7459-ba31-d3dfce4978ae','01a20458-340b-70ee-8488-9c0471ee1ac3','notice',replace('[agent-console notices: 1]\n- ended session 01a20458-3b2f-724f "@report succeeded below" completed (report, certain): below\n[end of agent-console notices]','\n',char(10)),'completed',NULL,'title',0,'system',NULL,0,NULL,0.0,NULL,0,NULL,NULL,NULL,'[]',NULL,NULL,'{"inputTokens":39,"outputTokens":8,"cacheReadTokens":0,"costUsd":null,"source":"transcript"}',3,'2026-11-22T17:40:21.520Z','2026-11-22T17:40:21.520Z','2026-11-22T17:40:21.653Z','system',NULL);
INSERT INTO "tasks" VALUES('01a20458-3d9d-7aa8-a037-2b218aede94d','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','prompt','@report succeeded measured the bridge','completed',NULL,'report',1,'session','01a20458-340b-70ee-8488-9c0471ee1ac3',1,'01a20458-3d9d-7aa8-a037-2b1f54706845',1.0,NULL,0,NULL,NULL,'measured the bridge','[]',NULL,NULL,'{"inputTokens":10,"outputTokens":36,"cacheReadTokens":0,"costUsd":null,"source":"transcript"}',3,'2026-11-22T17:40:21.533Z','2026-11-22T17:40:21.575Z','2026-11-22T17:40:22.109Z','session:01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3');
INSERT INTO "tasks" VALUES('01a20458-3fe1-70e1-abb0-1b52d775d42e','01a20458-340b-70ee-8488-9c0471ee1ac3','notice',replace('[agent-console notices: 1]\n- ended session 01a20458-3d9d-7aa8 "@report succeeded measured the bridge" completed (report, certain): measured the bridge\n[end of agent-console notices]','\n',char(10)),'completed',NULL,'title',0,'system',NULL,0,NULL,0.0,NULL,0,NULL,NULL,NULL,'[]',NULL,NULL,'{"inputTokens":46,"outputTokens":8,"cacheReadTokens":0,"costUsd":null,"source":"transcript"}',3,'2026-11-22T17:40:22.113Z','2026-11-22T17:40:22.113Z','2026-11-22T17:40:22.255Z','system',NULL);
INSERT INTO "tasks" VALUES('01a20458-401c-7535-aeeb-6db12f2544a2','01a20458-4017-7fd2-ba88-7e55afa3983e','prompt','@sleep 600000','running',NULL,NULL,NULL,'person','01a20458-331c-7b7d-ad72-be23cc9b6746',1,NULL,1.0,NULL,0,NULL,NULL,NULL,'[]',NULL,NULL,NULL,2,'2026-11-22T17:40:22.172Z','2026-11-22T17:40:22.173Z',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "tasks" VALUES('01a20458-40f5-799d-a085-cecd0e2f7e2c','01a20458-4017-7fd2-ba88-7e55afa3983e','prompt','queued about a waterfall','queued',NULL,NULL,NULL,'person','01a20458-331c-7b7d-ad72-be23cc9b6746',1,NULL,1.0,NULL,0,NULL,NULL,NULL,'[]',NULL,NULL,NULL,1,'2026-11-22T17:40:22.389Z',NULL,NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "tasks" VALUES('01a20458-40fb-752b-b6b1-3a675e05e714','01a20458-4017-7fd2-ba88-7e55afa3983e','prompt','dropped','cancelled',NULL,'person',1,'person','01a20458-331c-7b7d-ad72-be23cc9b6746',1,NULL,2.0,NULL,0,NULL,NULL,NULL,'[]',NULL,NULL,NULL,2,'2026-11-22T17:40:22.395Z',NULL,'2026-11-22T17:40:22.402Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "tasks" VALUES('01a20458-410c-7067-ac98-0df0e3945dfd','01a20458-4108-74f7-886a-ef8cfea2536d','prompt','@permission Bash npm test','completed',NULL,'title',0,'person','01a20458-331c-7b7d-ad72-be23cc9b6746',1,NULL,1.0,NULL,0,NULL,NULL,'Bash allowed','[]',NULL,NULL,'{"inputTokens":7,"outputTokens":21,"cacheReadTokens":0,"costUsd":null,"source":"transcript"}',5,'2026-11-22T17:40:22.412Z','2026-11-22T17:40:22.413Z','2026-11-22T17:40:23.091Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "tasks" VALUES('01a20458-43b6-7f43-ba4c-5bef10085c90','01a20458-43ad-7754-a208-e7550605ffbd','prompt','@permission Bash npm test','awaiting_input','answer',NULL,NULL,'person','01a20458-331c-7b7d-ad72-be23cc9b6746',1,NULL,1.0,NULL,0,NULL,NULL,NULL,'[]',NULL,NULL,'{"inputTokens":7,"outputTokens":18,"cacheReadTokens":0,"costUsd":null,"source":"transcript"}',3,'2026-11-22T17:40:23.094Z','2026-11-22T17:40:23.095Z',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "tokens" VALUES('01a20458-348a-7e80-bda5-fe407fe8810d','fb8a6539d05323ab0c2f9d22401101bba706e2fc8626342f4a93c63e78da3062','worker 01a20458-340d-7fb4-b60d-080b94470dda','worker',NULL,'01a20458-340d-7fb4-b60d-080b94470dda','01a20458-340b-70ee-8488-9c0471ee1ac3','[]','2026-11-22T17:40:19.210Z',NULL,NULL,'system',NULL);
INSERT INTO "tokens" VALUES('01a20458-3694-7544-b0ce-32e357f6038e','662059bd3ea907f0654126bdb22a6d631832d1c826e1790aee15698c03097d6f','dashboard','user','01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,NULL,'["read","write","owner"]','2026-11-22T17:40:19.732Z',NULL,NULL,'login',NULL);
INSERT INTO "tokens" VALUES('01a20458-369a-782a-ad04-fcf8f6779c64','ee5f443569c18114f9fd57adc5990ffbd8a9dfd537db9c1d58a60cd7a155e1cf','dashboard','user','01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,NULL,'["read","write","owner"]','2026-11-22T17:40:19.738Z',NULL,NULL,'login',NULL);
INSERT INTO "tokens" VALUES('01a20458-36a4-7410-9b67-0aba7f83913c','a8e1bd665cde869cf7579e1fcdf3d7bc3d85fb3f645dec88b33bf2e42922cdd9','nightly script','user','01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,NULL,'["read","write"]','2026-11-22T17:40:19.748Z',NULL,NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "tokens" VALUES('01a20458-36a7-7f05-aef1-8ccc231f8725','372138ae6d26c9cdc21ab027c939c87d21a89739bc03272ef36854567f781469','dashboard','user','01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,NULL,'["read","write"]','2026-11-22T17:40:19.751Z',NULL,NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "tokens" VALUES('01a20458-36b3-75da-9f98-d7a458ab2002','8b3ececb34ae36892e2a1722bac280c1f9022c16690a5d4b2c14cd5a876427ef','for a year','user','01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,NULL,'["read","write"]','2026-11-22T17:40:19.763Z','2100-01-01T00:00:00.000Z',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "tokens" VALUES('01a20458-36b7-73c4-8c36-273a8764e133','e0d732cd2ed54a582cafe254b93eef31388a6a957ab8984241a41202e07ec1d0','revoked','user','01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,NULL,'["read","write"]','2026-11-22T17:40:19.767Z',NULL,'2026-11-22T17:40:19.771Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "tokens" VALUES('01a20458-36be-7399-aa22-ab238ff7d070','699d8f73a14e6f520e815680b129c23cd73021abb973d1548083d6d243526807','Ann','user','01a20458-367b-7a65-aafb-787368964377',NULL,NULL,'["read","write"]','2026-11-22T17:40:19.774Z',NULL,NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "tokens" VALUES('01a20458-392d-7dcb-89d1-64a901e59c63','be6739f75231d1f7a903dccbc991c2392fe49105bd6b0bd478ea852f5510f853','worker 01a20458-3923-7dd6-af1d-fcb7d3fca019','worker',NULL,'01a20458-3923-7dd6-af1d-fcb7d3fca019','01a20458-3920-72da-871d-878ab026e1cc','[]','2026-11-22T17:40:20.397Z',NULL,NULL,'system',NULL);
INSERT INTO "tokens" VALUES('01a20458-3a52-7ad1-a00a-8741e9e81fad','1619b95a24b716dc57482138fa255db0e3f04912225bcc53d8c2058344593977','worker 01a20458-3a4e-7cfa-ac6a-678222060500','worker',NULL,'01a20458-3a4e-7cfa-ac6a-678222060500','01a20458-3a39-7d33-b2c5-8cacb435d11c','[]','2026-11-22T17:40:20.690Z',NULL,NULL,'system',NULL);
INSERT INTO "tokens" VALUES('01a20458-3b33-7e06-8cd8-4975f96adbb0','e8495a84b3bbff7b67e2f41704ad64a306c7d177c11c96aacb49bb80db461599','worker 01a20458-3b29-7566-802c-d0e62b5f6b50','worker',NULL,'01a20458-3b29-7566-802c-d0e62b5f6b50','01a20458-3b27-7123-9e1a-3b67d01bd445','[]','2026-11-22T17:40:20.915Z',NULL,NULL,'system',NULL);
INSERT INTO "tokens" VALUES('01a20458-3b35-758f-841f-ae6740b0c0b0','019f59b9ae02853b95c539aaaf0d74c5cba6784fdbe9e5283101a2a1eb247793','worker 01a20458-3b30-712b-b2b9-f5db44c9d83b','worker',NULL,'01a20458-3b30-712b-b2b9-f5db44c9d83b','01a20458-3b2f-724f-a793-5e1c03657693','[]','2026-11-22T17:40:20.917Z',NULL,NULL,'system',NULL);
INSERT INTO "tokens" VALUES('01a20458-3dc1-75d2-9ef0-81263986e484','9a53cd49d0ca408af9ac5839b5309aad0ca222b0626fe962f5992b213926cf58','worker 01a20458-3d9d-7aa8-a037-2b228abce95f','worker',NULL,'01a20458-3d9d-7aa8-a037-2b228abce95f','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','[]','2026-11-22T17:40:21.569Z',NULL,NULL,'system',NULL);
INSERT INTO "tokens" VALUES('01a20458-4024-713b-987e-cdd0ccc1ba53','91fb8c2df33cf0dd000ad928124d8edb36621cba668a86433d599add9becba6c','worker 01a20458-401e-7486-b217-6d836f9a0d7e','worker',NULL,'01a20458-401e-7486-b217-6d836f9a0d7e','01a20458-4017-7fd2-ba88-7e55afa3983e','[]','2026-11-22T17:40:22.180Z',NULL,NULL,'system',NULL);
INSERT INTO "tokens" VALUES('01a20458-4116-726d-9acd-2ed2b520eac0','fcb5dfcbac0e8858e44d11866468dee3568a7106eb50392fb88ba87d620e872b','worker 01a20458-410e-7c7e-aa4a-5e8446f64b57','worker',NULL,'01a20458-410e-7c7e-aa4a-5e8446f64b57','01a20458-4108-74f7-886a-ef8cfea2536d','[]','2026-11-22T17:40:22.422Z',NULL,NULL,'system',NULL);
INSERT INTO "tokens" VALUES('01a20458-43be-7c20-92cd-f468dc249a21','73fc688ebf5c28b0b31ede07295764c2f7d2b49db50f789c139328df50a7c6f0','worker 01a20458-43b8-78f2-a5fb-0bff61177960','worker',NULL,'01a20458-43b8-78f2-a5fb-0bff61177960','01a20458-43ad-7754-a208-e7550605ffbd','[]','2026-11-22T17:40:23.102Z',NULL,NULL,'system',NULL);
INSERT INTO "workers" VALUES('01a20458-340d-7fb4-b60d-080b94470dda','01a20458-340b-70ee-8488-9c0471ee1ac3','agent','scripted',10973,'107298','running',NULL,NULL,'idle','title','2026-11-22T17:40:19.345Z','likely',579,579,496,560,-1,NULL,120,36,'[]','2026-11-22T17:40:19.204Z',NULL,'[]',0,'acceptEdits');
INSERT INTO "workers" VALUES('01a20458-37f7-7841-a07e-ec8bb0228306','01a20458-37ed-7ca3-aef0-5b5bfd09722e','agent','scripted',11030,'107386','exited',129,NULL,'unknown','process','2026-11-22T17:40:20.353Z','certain',378,378,293,351,-1,NULL,120,36,'[]','2026-11-22T17:40:20.089Z','2026-11-22T17:40:20.353Z','[]',0,'acceptEdits');
INSERT INTO "workers" VALUES('01a20458-3923-7dd6-af1d-fcb7d3fca019','01a20458-3920-72da-871d-878ab026e1cc','agent','scripted',11042,'107417','running',NULL,NULL,'idle','title','2026-11-22T17:40:20.646Z','likely',401,401,293,382,-1,NULL,120,36,'[]','2026-11-22T17:40:20.392Z',NULL,'[]',0,'acceptEdits');
INSERT INTO "workers" VALUES('01a20458-3a4e-7cfa-ac6a-678222060500','01a20458-3a39-7d33-b2c5-8cacb435d11c','agent','scripted',11055,'107446','running',NULL,NULL,'idle','title','2026-11-22T17:40:20.881Z','likely',350,350,292,331,-1,NULL,120,36,'[]','2026-11-22T17:40:20.689Z',NULL,'[]',0,'acceptEdits');
INSERT INTO "workers" VALUES('01a20458-3b29-7566-802c-d0e62b5f6b50','01a20458-3b27-7123-9e1a-3b67d01bd445','agent','scripted',11068,'107469','running',NULL,NULL,'idle','title','2026-11-22T17:40:21.137Z','likely',372,372,313,353,-1,NULL,120,36,'[]','2026-11-22T17:40:20.913Z',NULL,'[]',0,'acceptEdits');
INSERT INTO "workers" VALUES('01a20458-3b30-712b-b2b9-f5db44c9d83b','01a20458-3b2f-724f-a793-5e1c03657693','agent','scripted',11075,'107470','running',NULL,NULL,'idle','title','2026-11-22T17:40:21.528Z','likely',488,488,293,469,-1,NULL,120,36,'[]','2026-11-22T17:40:20.914Z',NULL,'[]',0,'acceptEdits');
INSERT INTO "workers" VALUES('01a20458-3d9d-7aa8-a037-2b228abce95f','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','agent','scripted',11098,'107534','running',NULL,NULL,'idle','title','2026-11-22T17:40:22.138Z','likely',488,488,293,469,-1,NULL,120,36,'[]','2026-11-22T17:40:21.568Z',NULL,'[]',0,'acceptEdits');
INSERT INTO "workers" VALUES('01a20458-401e-7486-b217-6d836f9a0d7e','01a20458-4017-7fd2-ba88-7e55afa3983e','agent','scripted',11112,'107595','running',NULL,NULL,'active','title','2026-11-22T17:40:22.371Z','likely',315,315,293,246,-1,NULL,120,36,'[]','2026-11-22T17:40:22.179Z',NULL,'[]',0,'acceptEdits');
INSERT INTO "workers" VALUES('01a20458-410e-7c7e-aa4a-5e8446f64b57','01a20458-4108-74f7-886a-ef8cfea2536d','agent','scripted',11126,'107619','running',NULL,NULL,'idle','title','2026-11-22T17:40:23.091Z','likely',496,496,430,477,400,NULL,120,36,'[]','2026-11-22T17:40:22.417Z',NULL,'[]',0,'acceptEdits');
INSERT INTO "workers" VALUES('01a20458-43b8-78f2-a5fb-0bff61177960','01a20458-43ad-7754-a208-e7550605ffbd','agent','scripted',11140,'107687','running',NULL,NULL,'asking','title','2026-11-22T17:40:23.300Z','likely',421,421,293,246,400,NULL,120,36,'[]','2026-11-22T17:40:23.100Z',NULL,'[]',0,'acceptEdits');
INSERT INTO "workers" VALUES('01a20458-45d4-75f7-9225-87830a2978d0','01a20458-340b-70ee-8488-9c0471ee1ac3','terminal',NULL,11153,'107741','running',NULL,NULL,'unknown','process','2026-11-22T17:40:23.638Z','guess',0,0,-1,-1,-1,NULL,120,36,'[]','2026-11-22T17:40:23.638Z',NULL,'[]',0,NULL);
INSERT INTO "worktrees" VALUES('01a20458-33d5-775d-92ac-b580e8cdf737','01a20458-33d5-775d-92ac-b57f15087465','main','main checkout','/srv/shop',NULL,0,NULL,'ready',NULL,NULL,NULL,NULL,'2026-11-22T17:40:19.028Z',NULL,NULL,NULL,NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "worktrees" VALUES('01a20458-340a-768b-b564-50d90acd50be','01a20458-33d5-775d-92ac-b57f15087465','managed','wt-001-71e5','/srv/console/repositories/local/shop/worktrees/wt-001-71e5','given-1',1,1,'ready','main','2cade1d8e191b784b8ca9f2d016b2ac510072232','2cade1d8e191b784b8ca9f2d016b2ac510072232',NULL,'2026-11-22T17:40:19.083Z',NULL,NULL,NULL,NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "worktrees" VALUES('01a20458-3706-7b5c-9e53-89de67a35875','01a20458-3706-7b5c-9e53-89dd225c6a2c','main','main checkout','/srv/old',NULL,0,NULL,'removed',NULL,NULL,NULL,NULL,'2026-11-22T17:40:19.845Z',NULL,NULL,NULL,NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "worktrees" VALUES('01a20458-372d-72a8-93b4-1c8813e2d249','01a20458-33d5-775d-92ac-b57f15087465','managed','wt-002-889c','/srv/console/repositories/local/shop/worktrees/wt-002-889c','feature/kept',1,2,'ready','main','2cade1d8e191b784b8ca9f2d016b2ac510072232','2cade1d8e191b784b8ca9f2d016b2ac510072232',NULL,'2026-11-22T17:40:19.885Z','01a20458-3713-73ef-aa7d-0cb1d5731804','01a20458-371f-7408-a5e8-b061b5c7c8b7',1.5,2.0,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "worktrees" VALUES('01a20458-3775-7d47-b99b-cfef9456deb9','01a20458-33d5-775d-92ac-b57f15087465','managed','wt-003-d108','/srv/console/repositories/local/shop/worktrees/wt-003-d108','feature/gone',1,3,'removed','main','2cade1d8e191b784b8ca9f2d016b2ac510072232','2cade1d8e191b784b8ca9f2d016b2ac510072232','refs/agent-console/recovery/wt-003-d108/20261122T174020005Z','2026-11-22T17:40:19.957Z',NULL,NULL,NULL,NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "worktrees" VALUES('01a20458-3d9c-7713-bd96-aa7199a93039','01a20458-33d5-775d-92ac-b57f15087465','managed','wt-004-8348','/srv/console/repositories/local/shop/worktrees/wt-004-8348','given-kept',1,4,'ready','main','2cade1d8e191b784b8ca9f2d016b2ac510072232','2cade1d8e191b784b8ca9f2d016b2ac510072232',NULL,'2026-11-22T17:40:21.532Z',NULL,NULL,NULL,NULL,'session:01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3');
INSERT INTO "approvals" VALUES('01a20458-4381-7461-87f2-9b2258ba9df2','01a20458-4108-74f7-886a-ef8cfea2536d','01a20458-410e-7c7e-aa4a-5e8446f64b57','01a20458-410c-7067-ac98-0df0e3945dfd','Allow Bash: npm test','Bash','[{"id":"1","label":"Yes","kind":"allow"},{"id":"2","label":"Yes, and always allow Bash","kind":"allow"},{"id":"3","label":"No","kind":"deny"}]','screen','answered','1','user:01a20458-331c-7b7d-ad72-be23cc9b6746',421,'2026-11-22T17:40:23.041Z','2026-11-22T17:40:23.074Z');
INSERT INTO "approvals" VALUES('01a20458-45c2-7f86-9834-4e475f11ae6f','01a20458-43ad-7754-a208-e7550605ffbd','01a20458-43b8-78f2-a5fb-0bff61177960','01a20458-43b6-7f43-ba4c-5bef10085c90','Allow Bash: npm test','Bash','[{"id":"1","label":"Yes","kind":"allow"},{"id":"2","label":"Yes, and always allow Bash","kind":"allow"},{"id":"3","label":"No","kind":"deny"}]','screen','pending',NULL,NULL,421,'2026-11-22T17:40:23.618Z',NULL);
INSERT INTO "transcripts" VALUES('01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3','{"reader":{"files":{"/srv/console/transcripts/01a20458-340b-70ee-8488-9c0471ee1ac3.jsonl":{"offset":2187,"mark":"a2VucyI6NDYsIm91dHB1dFRva2VucyI6OCwiY2FjaGVSZWFkVG9rZW5zIjowfX0K"}}},"turn":{"nativeId":"e56095df-179d-4478-b7df-2af014007ce4","taskId":"01a20458-3fe1-70e1-abb0-1b52d775d42e"},"reached":{"workerId":"01a20458-340d-7fb4-b60d-080b94470dda","offset":579},"unplacedFrom":null,"copied":0,"own":true}','2026-11-22T17:40:22.251Z');
INSERT INTO "transcripts" VALUES('01a20458-37ed-7ca3-aef0-5b5bfd09722e','01a20458-37ed-7ca3-aef0-5b5bfd09722e','{"reader":{"files":{"/srv/console/transcripts/01a20458-37ed-7ca3-aef0-5b5bfd09722e.jsonl":{"offset":567,"mark":"b2tlbnMiOjcsIm91dHB1dFRva2VucyI6NiwiY2FjaGVSZWFkVG9rZW5zIjowfX0K"}}},"turn":{"nativeId":"45a163ee-6519-4586-83b2-48590af3fe51","taskId":"01a20458-37f4-74d8-8013-d59dcb39d66b"},"reached":{"workerId":"01a20458-37f7-7841-a07e-ec8bb0228306","offset":378},"unplacedFrom":null,"copied":0,"own":true}','2026-11-22T17:40:20.429Z');
INSERT INTO "transcripts" VALUES('01a20458-3920-72da-871d-878ab026e1cc','01a20458-3920-72da-871d-878ab026e1cc','{"reader":{"files":{"/srv/console/transcripts/01a20458-3920-72da-871d-878ab026e1cc.jsonl":{"offset":841,"mark":"ZW5zIjoxNCwib3V0cHV0VG9rZW5zIjoxMywiY2FjaGVSZWFkVG9rZW5zIjowfX0K"}}},"turn":{"nativeId":"b1b2e445-0bdf-41e9-bc54-ceec99741b4e","taskId":"01a20458-3920-72da-871d-878d5f4bfd3e"},"reached":{"workerId":"01a20458-3923-7dd6-af1d-fcb7d3fca019","offset":401},"unplacedFrom":null,"copied":0,"own":true}','2026-11-22T17:40:20.640Z');
INSERT INTO "transcripts" VALUES('01a20458-3a39-7d33-b2c5-8cacb435d11c','01a20458-3a39-7d33-b2c5-8cacb435d11c','{"reader":{"files":{"/srv/console/transcripts/01a20458-3a39-7d33-b2c5-8cacb435d11c.jsonl":{"offset":529,"mark":"b2tlbnMiOjMsIm91dHB1dFRva2VucyI6MSwiY2FjaGVSZWFkVG9rZW5zIjowfX0K"}}},"turn":{"nativeId":"09c9f0cf-0718-4444-a5ed-bb35a4918503","taskId":"01a20458-3a4c-79a4-bf31-79172fc42301"},"reached":{"workerId":"01a20458-3a4e-7cfa-ac6a-678222060500","offset":350},"unplacedFrom":null,"copied":0,"own":true}','2026-11-22T17:40:20.874Z');
INSERT INTO "transcripts" VALUES('01a20458-3b27-7123-9e1a-3b67d01bd445','01a20458-3b27-7123-9e1a-3b67d01bd445','{"reader":{"files":{"/srv/console/transcripts/01a20458-3b27-7123-9e1a-3b67d01bd445.jsonl":{"offset":1060,"mark":"b2tlbnMiOjMsIm91dHB1dFRva2VucyI6MiwiY2FjaGVSZWFkVG9rZW5zIjowfX0K"}}},"turn":{"nativeId":"8f466606-5fe7-443a-9f2d-447245f59c8c","taskId":"01a20458-3b27-7123-9e1a-3b6949a05c00"},"reached":{"workerId":"01a20458-3b29-7566-802c-d0e62b5f6b50","offset":372},"unplacedFrom":null,"copied":2,"own":true}','2026-11-22T17:40:21.135Z');
INSERT INTO "transcripts" VALUES('01a20458-3b2f-724f-a793-5e1c03657693','01a20458-3b2f-724f-a793-5e1c03657693','{"reader":{"files":{"/srv/console/transcripts/01a20458-3b2f-724f-a793-5e1c03657693.jsonl":{"offset":694,"mark":"a2VucyI6Niwib3V0cHV0VG9rZW5zIjozNiwiY2FjaGVSZWFkVG9rZW5zIjowfX0K"}}},"turn":{"nativeId":"51e4b4bf-6cf1-4137-bf6c-debf9b804039","taskId":"01a20458-3b2f-724f-a793-5e1eae897aa4"},"reached":{"workerId":"01a20458-3b30-712b-b2b9-f5db44c9d83b","offset":488},"unplacedFrom":null,"copied":0,"own":true}','2026-11-22T17:40:21.527Z');
INSERT INTO "transcripts" VALUES('01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','{"reader":{"files":{"/srv/console/transcripts/01a20458-3d9d-7aa8-a037-2b1ef9fad2cf.jsonl":{"offset":710,"mark":"ZW5zIjoxMCwib3V0cHV0VG9rZW5zIjozNiwiY2FjaGVSZWFkVG9rZW5zIjowfX0K"}}},"turn":{"nativeId":"e3ea0013-47de-4295-a74d-85c0f8a9ebcb","taskId":"01a20458-3d9d-7aa8-a037-2b218aede94d"},"reached":{"workerId":"01a20458-3d9d-7aa8-a037-2b228abce95f","offset":488},"unplacedFrom":null,"copied":0,"own":true}','2026-11-22T17:40:22.137Z');
INSERT INTO "transcripts" VALUES('01a20458-4017-7fd2-ba88-7e55afa3983e','01a20458-4017-7fd2-ba88-7e55afa3983e','{"reader":{"files":{"/srv/console/transcripts/01a20458-4017-7fd2-ba88-7e55afa3983e.jsonl":{"offset":115,"mark":"QHNsZWVwIDYwMDAwMCIsImF0IjoiMjAyNi0xMS0yMlQxNzo0MDoyMi4zNzBaIn0K"}}},"turn":{"nativeId":"fa87ae91-0eae-450f-8451-694451c115ac","taskId":"01a20458-401c-7535-aeeb-6db12f2544a2"},"reached":{"workerId":"01a20458-401e-7486-b217-6d836f9a0d7e","offset":315},"unplacedFrom":null,"copied":0,"own":true}','2026-11-22T17:40:22.496Z');
INSERT INTO "transcripts" VALUES('01a20458-4108-74f7-886a-ef8cfea2536d','01a20458-4108-74f7-886a-ef8cfea2536d','{"reader":{"files":{"/srv/console/transcripts/01a20458-4108-74f7-886a-ef8cfea2536d.jsonl":{"offset":841,"mark":"a2VucyI6Nywib3V0cHV0VG9rZW5zIjoyMSwiY2FjaGVSZWFkVG9rZW5zIjowfX0K"}}},"turn":{"nativeId":"f9f5e138-7a74-430a-9dc6-ae3df40eae56","taskId":"01a20458-410c-7067-ac98-0df0e3945dfd"},"reached":{"workerId":"01a20458-410e-7c7e-aa4a-5e8446f64b57","offset":496},"unplacedFrom":null,"copied":0,"own":true}','2026-11-22T17:40:23.090Z');
INSERT INTO "transcripts" VALUES('01a20458-43ad-7754-a208-e7550605ffbd','01a20458-43ad-7754-a208-e7550605ffbd','{"reader":{"files":{"/srv/console/transcripts/01a20458-43ad-7754-a208-e7550605ffbd.jsonl":{"offset":413,"mark":"a2VucyI6Nywib3V0cHV0VG9rZW5zIjoxOCwiY2FjaGVSZWFkVG9rZW5zIjowfX0K"}}},"turn":{"nativeId":"b94ce601-6e0f-4e3d-8cb6-ae0332c32f8d","taskId":"01a20458-43b6-7f43-ba4c-5bef10085c90"},"reached":{"workerId":"01a20458-43b8-78f2-a5fb-0bff61177960","offset":421},"unplacedFrom":null,"copied":0,"own":true}','2026-11-22T17:40:23.425Z');
INSERT INTO "usage" VALUES('01a20458-35a0-7c17-9fc9-d7927197d307','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340d-7fb4-b60d-080a71ee528d','turn 7c670aae-8762-4fd7-a225-c31c9ee6e875',5,2,0,NULL,'2026-11-22T17:40:19.488Z');
INSERT INTO "usage" VALUES('01a20458-38d7-7392-9610-cda64b70ca94','01a20458-37ed-7ca3-aef0-5b5bfd09722e','01a20458-37f4-74d8-8013-d59dcb39d66b','turn 45a163ee-6519-4586-83b2-48590af3fe51',7,6,0,NULL,'2026-11-22T17:40:20.311Z');
INSERT INTO "usage" VALUES('01a20458-3a1f-7829-9874-9097381afaae','01a20458-3920-72da-871d-878ab026e1cc','01a20458-3920-72da-871d-878d5f4bfd3e','turn b1b2e445-0bdf-41e9-bc54-ceec99741b4e',14,13,0,NULL,'2026-11-22T17:40:20.639Z');
INSERT INTO "usage" VALUES('01a20458-3b0a-729e-b142-654ed85e6007','01a20458-3a39-7d33-b2c5-8cacb435d11c','01a20458-3a4c-79a4-bf31-79172fc42301','turn 09c9f0cf-0718-4444-a5ed-bb35a4918503',3,1,0,NULL,'2026-11-22T17:40:20.874Z');
INSERT INTO "usage" VALUES('01a20458-3c0f-70cc-9a91-0e4c2ec8147a','01a20458-3b27-7123-9e1a-3b67d01bd445','01a20458-3b27-7123-9e1a-3b6949a05c00','turn 8f466606-5fe7-443a-9f2d-447245f59c8c',3,2,0,NULL,'2026-11-22T17:40:21.135Z');
INSERT INTO "usage" VALUES('01a20458-3d97-744c-a646-716131319b44','01a20458-3b2f-724f-a793-5e1c03657693','01a20458-3b2f-724f-a793-5e1eae897aa4','turn 51e4b4bf-6cf1-4137-bf6c-debf9b804039',6,36,0,NULL,'2026-11-22T17:40:21.527Z');
INSERT INTO "usage" VALUES('01a20458-3e12-7eef-be70-dae7985b3579','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-3d90-7459-ba31-d3dfce4978ae','turn f08d8e81-d822-481e-93c5-1920cee494b7',39,8,0,NULL,'2026-11-22T17:40:21.650Z');
INSERT INTO "usage" VALUES('01a20458-3ff8-70cb-8af4-c07e9c2c1691','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','01a20458-3d9d-7aa8-a037-2b218aede94d','turn e3ea0013-47de-4295-a74d-85c0f8a9ebcb',10,36,0,NULL,'2026-11-22T17:40:22.136Z');
INSERT INTO "usage" VALUES('01a20458-406b-7e50-a047-468452b89df7','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-3fe1-70e1-abb0-1b52d775d42e','turn e56095df-179d-4478-b7df-2af014007ce4',46,8,0,NULL,'2026-11-22T17:40:22.251Z');
INSERT INTO "usage" VALUES('01a20458-4274-749e-a519-263d54e8066f','01a20458-4108-74f7-886a-ef8cfea2536d','01a20458-410c-7067-ac98-0df0e3945dfd','turn f9f5e138-7a74-430a-9dc6-ae3df40eae56',7,21,0,NULL,'2026-11-22T17:40:22.772Z');
INSERT INTO "usage" VALUES('01a20458-4501-7563-b5aa-445684ed1106','01a20458-43ad-7754-a208-e7550605ffbd','01a20458-43b6-7f43-ba4c-5bef10085c90','turn b94ce601-6e0f-4e3d-8cb6-ae0332c32f8d',7,18,0,NULL,'2026-11-22T17:40:23.425Z');
INSERT INTO "boards" VALUES('01a20458-3713-73ef-aa7d-0cb1d5731804','Sprint',replace('two\nlines','\n',char(10)),'01a20458-331c-7b7d-ad72-be23cc9b6746','2026-11-22T17:40:19.859Z',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "boards" VALUES('01a20458-37d6-7e00-b649-dca1f6f9088c','Old board','','01a20458-331c-7b7d-ad72-be23cc9b6746','2026-11-22T17:40:20.054Z','2026-11-22T17:40:20.057Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "mcp_servers" VALUES('01a20458-37df-7c71-90c4-93aff800f450','notes','01a20458-331c-7b7d-ad72-be23cc9b6746','http','https://mcp.example.com/mcp',NULL,'{}','{}','2026-11-22T17:40:20.063Z',NULL);
INSERT INTO "mcp_servers" VALUES('01a20458-37e4-7c5f-bb22-2354d2d55535','local','01a20458-331c-7b7d-ad72-be23cc9b6746','stdio',NULL,'["cat"]','{}','{}','2026-11-22T17:40:20.068Z','2026-11-22T17:40:20.072Z');
INSERT INTO "session_mcp_servers" VALUES('01a20458-3920-72da-871d-878bb83cb2c2','01a20458-3920-72da-871d-878ab026e1cc','01a20458-37df-7c71-90c4-93aff800f450','2026-11-22T17:40:20.384Z');
INSERT INTO "users" VALUES('01a20458-331c-7b7d-ad72-be23cc9b6746',NULL,NULL,NULL,'2026-11-22T17:40:18.846Z',NULL,'system',NULL);
INSERT INTO "users" VALUES('01a20458-367b-7a65-aafb-787368964377','Ann','ann@example.com',NULL,'2026-11-22T17:40:19.707Z',NULL,'user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "users" VALUES('01a20458-3683-7f73-871d-9f23b748da18','Gone',NULL,NULL,'2026-11-22T17:40:19.715Z','2026-11-22T17:40:19.723Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "zones" VALUES('01a20458-371f-7408-a5e8-b061b5c7c8b7','01a20458-3713-73ef-aa7d-0cb1d5731804','Doing','#10b981',0.0,0.0,600.0,400.0,'2026-11-22T17:40:19.871Z','user:01a20458-331c-7b7d-ad72-be23cc9b6746',NULL);
INSERT INTO "search_documents" VALUES(1,'session','01a20458-340b-70ee-8488-9c0471ee1ac3','01a20458-340b-70ee-8488-9c0471ee1ac3');
INSERT INTO "search_documents" VALUES(2,'message','01a20458-349c-7f07-a2e4-e07483a17b36','01a20458-340b-70ee-8488-9c0471ee1ac3');
INSERT INTO "search_documents" VALUES(3,'message','01a20458-359f-7192-865e-3d56d1ba7272','01a20458-340b-70ee-8488-9c0471ee1ac3');
INSERT INTO "search_documents" VALUES(4,'message','01a20458-35a0-7c17-9fc9-d791f88b9bee','01a20458-340b-70ee-8488-9c0471ee1ac3');
INSERT INTO "search_documents" VALUES(5,'session','01a20458-37ed-7ca3-aef0-5b5bfd09722e','01a20458-37ed-7ca3-aef0-5b5bfd09722e');
INSERT INTO "search_documents" VALUES(6,'message','01a20458-37f6-7481-990e-bf8ea4afff4b','01a20458-37ed-7ca3-aef0-5b5bfd09722e');
INSERT INTO "search_documents" VALUES(7,'message','01a20458-38d6-78ad-bdd0-e63ff32aa258','01a20458-37ed-7ca3-aef0-5b5bfd09722e');
INSERT INTO "search_documents" VALUES(8,'session','01a20458-3920-72da-871d-878ab026e1cc','01a20458-3920-72da-871d-878ab026e1cc');
INSERT INTO "search_documents" VALUES(9,'message','01a20458-3922-7e76-9d77-513b7dbac7f8','01a20458-3920-72da-871d-878ab026e1cc');
INSERT INTO "search_documents" VALUES(10,'message','01a20458-3a1f-7829-9874-9095c8dbc8b3','01a20458-3920-72da-871d-878ab026e1cc');
INSERT INTO "search_documents" VALUES(11,'message','01a20458-3a1f-7829-9874-9096c846e2b1','01a20458-3920-72da-871d-878ab026e1cc');
INSERT INTO "search_documents" VALUES(12,'session','01a20458-3a2e-7a2d-a750-81b1dcc5afe6','01a20458-3a2e-7a2d-a750-81b1dcc5afe6');
INSERT INTO "search_documents" VALUES(13,'session','01a20458-3a39-7d33-b2c5-8cacb435d11c','01a20458-3a39-7d33-b2c5-8cacb435d11c');
INSERT INTO "search_documents" VALUES(14,'message','01a20458-3a4d-7b19-bc30-8afc3e4ade7f','01a20458-3a39-7d33-b2c5-8cacb435d11c');
INSERT INTO "search_documents" VALUES(15,'message','01a20458-3b0a-729e-b142-654dc848cc54','01a20458-3a39-7d33-b2c5-8cacb435d11c');
INSERT INTO "search_documents" VALUES(16,'session','01a20458-3b27-7123-9e1a-3b67d01bd445','01a20458-3b27-7123-9e1a-3b67d01bd445');
INSERT INTO "search_documents" VALUES(17,'message','01a20458-3b28-7d5f-82de-7c4c3c73ae5b','01a20458-3b27-7123-9e1a-3b67d01bd445');
INSERT INTO "search_documents" VALUES(18,'session','01a20458-3b2f-724f-a793-5e1c03657693','01a20458-3b2f-724f-a793-5e1c03657693');
INSERT INTO "search_documents" VALUES(19,'message','01a20458-3b2f-724f-a793-5e1f9391219e','01a20458-3b2f-724f-a793-5e1c03657693');
INSERT INTO "search_documents" VALUES(20,'message','01a20458-3b89-76d8-ac57-1ef65748c4cc','01a20458-3b27-7123-9e1a-3b67d01bd445');
INSERT INTO "search_documents" VALUES(21,'message','01a20458-3b89-76d8-ac57-1ef7727386fd','01a20458-3b27-7123-9e1a-3b67d01bd445');
INSERT INTO "search_documents" VALUES(22,'message','01a20458-3c0f-70cc-9a91-0e4b0954b187','01a20458-3b27-7123-9e1a-3b67d01bd445');
INSERT INTO "search_documents" VALUES(23,'message','01a20458-3d72-717a-8c7c-415ddb7552b3','01a20458-3b2f-724f-a793-5e1c03657693');
INSERT INTO "search_documents" VALUES(24,'message','01a20458-3d96-7e3e-8b8d-ef911754792d','01a20458-3b2f-724f-a793-5e1c03657693');
INSERT INTO "search_documents" VALUES(25,'session','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf');
INSERT INTO "search_documents" VALUES(26,'message','01a20458-3dc7-7842-882d-071bbb65e3e7','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf');
INSERT INTO "search_documents" VALUES(27,'message','01a20458-3e12-7eef-be70-dae6e9bbb055','01a20458-340b-70ee-8488-9c0471ee1ac3');
INSERT INTO "search_documents" VALUES(28,'message','01a20458-3fdd-7406-95f2-6d9b1bced38d','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf');
INSERT INTO "search_documents" VALUES(29,'message','01a20458-3ff8-70cb-8af4-c07d8b2023a8','01a20458-3d9d-7aa8-a037-2b1ef9fad2cf');
INSERT INTO "search_documents" VALUES(30,'session','01a20458-4017-7fd2-ba88-7e55afa3983e','01a20458-4017-7fd2-ba88-7e55afa3983e');
INSERT INTO "search_documents" VALUES(31,'message','01a20458-401d-7440-87c5-a5d4639e27c4','01a20458-4017-7fd2-ba88-7e55afa3983e');
INSERT INTO "search_documents" VALUES(32,'message','01a20458-406b-7e50-a047-468367271946','01a20458-340b-70ee-8488-9c0471ee1ac3');
INSERT INTO "search_documents" VALUES(33,'task','01a20458-40f5-799d-a085-cecd0e2f7e2c','01a20458-4017-7fd2-ba88-7e55afa3983e');
INSERT INTO "search_documents" VALUES(34,'task','01a20458-40fb-752b-b6b1-3a675e05e714','01a20458-4017-7fd2-ba88-7e55afa3983e');
INSERT INTO "search_documents" VALUES(35,'session','01a20458-4108-74f7-886a-ef8cfea2536d','01a20458-4108-74f7-886a-ef8cfea2536d');
INSERT INTO "search_documents" VALUES(36,'message','01a20458-410d-7e75-9cc1-caf230ab531e','01a20458-4108-74f7-886a-ef8cfea2536d');
INSERT INTO "search_documents" VALUES(37,'message','01a20458-4273-7469-ad4f-ea6b1ae59f60','01a20458-4108-74f7-886a-ef8cfea2536d');
INSERT INTO "search_documents" VALUES(38,'session','01a20458-43ad-7754-a208-e7550605ffbd','01a20458-43ad-7754-a208-e7550605ffbd');
INSERT INTO "search_documents" VALUES(39,'message','01a20458-43b0-70c7-803f-cb986c98a538','01a20458-4108-74f7-886a-ef8cfea2536d');
INSERT INTO "search_documents" VALUES(40,'message','01a20458-43b7-7e9a-8ed2-9882ce1ddb31','01a20458-43ad-7754-a208-e7550605ffbd');
INSERT INTO "search_documents" VALUES(41,'message','01a20458-4501-7563-b5aa-4455e5c6bde6','01a20458-43ad-7754-a208-e7550605ffbd');
CREATE INDEX `delegations_parent` ON `delegations` (`parentSessionId`);
CREATE INDEX `delegations_state` ON `delegations` (`state`);
CREATE INDEX `delegations_session` ON `delegations` (`sessionId`);
CREATE INDEX `events_session` ON `events` (`sessionId`,`seq`);
CREATE INDEX `idempotency_body` ON `idempotency` (`caller`,`operation`,`bodySha256`);
CREATE INDEX `inputs_worker` ON `inputs` (`workerId`,`state`);
CREATE INDEX `inputs_task` ON `inputs` (`taskId`);
CREATE UNIQUE INDEX `messages_session` ON `messages` (`sessionId`,`seq`);
CREATE INDEX `notices_session` ON `notices` (`sessionId`,`state`);
CREATE INDEX `notices_task` ON `notices` (`taskId`);
CREATE UNIQUE INDEX `repositories_common_dir` ON `repositories` (`commonDir`) WHERE "removedAt" is null;
CREATE INDEX `sessions_worktree` ON `sessions` (`worktreeId`);
CREATE INDEX `sessions_parent` ON `sessions` (`parentSessionId`);
CREATE INDEX `sessions_creator` ON `sessions` (`createdBySessionId`);
CREATE INDEX `tasks_session` ON `tasks` (`sessionId`,`status`);
CREATE INDEX `tasks_status` ON `tasks` (`status`);
CREATE INDEX `tasks_source` ON `tasks` (`sourceId`,`status`);
CREATE UNIQUE INDEX `tokens_sha256_unique` ON `tokens` (`sha256`);
CREATE INDEX `tokens_worker` ON `tokens` (`workerId`);
CREATE INDEX `workers_session` ON `workers` (`sessionId`);
CREATE INDEX `workers_state` ON `workers` (`state`);
CREATE INDEX `worktrees_repository` ON `worktrees` (`repositoryId`,`state`);
CREATE UNIQUE INDEX `worktrees_path` ON `worktrees` (`path`) WHERE state in ('creating', 'ready', 'removing', 'restoring');
CREATE UNIQUE INDEX `worktrees_branch` ON `worktrees` (`repositoryId`,`branch`) WHERE branch is not null and kind <> 'main' and state in ('creating', 'ready', 'removing', 'restoring');
CREATE INDEX `approvals_state` ON `approvals` (`state`);
CREATE INDEX `approvals_worker` ON `approvals` (`workerId`,`state`);
CREATE UNIQUE INDEX `usage_native` ON `usage` (`sessionId`,`nativeId`);
CREATE INDEX `usage_task` ON `usage` (`taskId`);
CREATE UNIQUE INDEX `messages_native` ON `messages` (`sessionId`,`nativeId`) WHERE "nativeId" is not null;
CREATE INDEX `boards_owner` ON `boards` (`ownerId`);
CREATE UNIQUE INDEX `session_mcp_servers_pair` ON `session_mcp_servers` (`sessionId`,`mcpServerId`);
CREATE UNIQUE INDEX `users_email` ON `users` (`email`) WHERE email is not null and "removedAt" is null;
CREATE INDEX `zones_board` ON `zones` (`boardId`);
CREATE INDEX `sessions_fork` ON `sessions` (`forkedFromSessionId`);
CREATE INDEX `sessions_private` ON `sessions` (`createdByUserId`) WHERE visibility = 'private';
CREATE INDEX `worktrees_board` ON `worktrees` (`boardId`);
CREATE UNIQUE INDEX `search_documents_source` ON `search_documents` (`sourceId`);
CREATE INDEX `sessions_listed` ON `sessions` (`removedAt`,`archivedAt`,`id`,`mark`,`agentId`,`visibility`,`createdByUserId`);
CREATE INDEX `sessions_repository` ON `sessions` (`repositoryId`);
CREATE VIEW search_texts AS
SELECT d.id, CASE d.kind
	WHEN 'message' THEN (SELECT group_concat(json_extract(p.value, '$.text'), char(10)) FROM messages m, json_each(m.parts) p WHERE m.id = d."sourceId")
	WHEN 'task' THEN (SELECT t.prompt FROM tasks t WHERE t.id = d."sourceId")
	ELSE (SELECT s.title || char(10) || s.description FROM sessions s WHERE s.id = d."sourceId")
END AS text
FROM search_documents d;
CREATE VIRTUAL TABLE search_index USING fts5(text, content='search_texts', content_rowid='id', columnsize=0, tokenize='unicode61 remove_diacritics 2');
INSERT INTO search_index (rowid, text) SELECT id, text FROM search_texts;
CREATE TRIGGER sessions_place_insert BEFORE INSERT ON sessions WHEN (new.type = 'worktree') <> (new."worktreeId" IS NOT NULL) BEGIN
	SELECT RAISE(ABORT, 'a session of type worktree has a worktree, and no other has one');
END;
CREATE TRIGGER sessions_place_update BEFORE UPDATE OF type, "worktreeId" ON sessions WHEN (new.type = 'worktree') <> (new."worktreeId" IS NOT NULL) BEGIN
	SELECT RAISE(ABORT, 'a session of type worktree has a worktree, and no other has one');
END;
CREATE TRIGGER messages_search_insert AFTER INSERT ON messages WHEN new.kind = 'text' BEGIN
	INSERT INTO search_documents (kind, "sourceId", "sessionId") VALUES ('message', new.id, new."sessionId");
	INSERT INTO search_index (rowid, text) VALUES ((SELECT id FROM search_documents WHERE "sourceId" = new.id), (SELECT group_concat(json_extract(p.value, '$.text'), char(10)) FROM json_each(new.parts) p));
END;
CREATE TRIGGER messages_search_update AFTER UPDATE OF parts ON messages WHEN new.kind = 'text' BEGIN
	INSERT INTO search_index (search_index, rowid, text) SELECT 'delete', id, (SELECT group_concat(json_extract(p.value, '$.text'), char(10)) FROM json_each(old.parts) p) FROM search_documents WHERE "sourceId" = old.id;
	INSERT INTO search_index (rowid, text) SELECT id, (SELECT group_concat(json_extract(p.value, '$.text'), char(10)) FROM json_each(new.parts) p) FROM search_documents WHERE "sourceId" = new.id;
END;
CREATE TRIGGER messages_search_delete AFTER DELETE ON messages WHEN old.kind = 'text' BEGIN
	INSERT INTO search_index (search_index, rowid, text) SELECT 'delete', id, (SELECT group_concat(json_extract(p.value, '$.text'), char(10)) FROM json_each(old.parts) p) FROM search_documents WHERE "sourceId" = old.id;
	DELETE FROM search_documents WHERE "sourceId" = old.id;
END;
CREATE TRIGGER tasks_search_insert AFTER INSERT ON tasks WHEN new.kind = 'prompt' AND new."startedAt" IS NULL BEGIN
	INSERT INTO search_documents (kind, "sourceId", "sessionId") VALUES ('task', new.id, new."sessionId");
	INSERT INTO search_index (rowid, text) VALUES ((SELECT id FROM search_documents WHERE "sourceId" = new.id), new.prompt);
END;
CREATE TRIGGER tasks_search_start AFTER UPDATE OF "startedAt" ON tasks WHEN old."startedAt" IS NULL AND new."startedAt" IS NOT NULL BEGIN
	INSERT INTO search_index (search_index, rowid, text) SELECT 'delete', id, old.prompt FROM search_documents WHERE "sourceId" = old.id;
	DELETE FROM search_documents WHERE "sourceId" = old.id;
END;
CREATE TRIGGER tasks_search_delete AFTER DELETE ON tasks BEGIN
	INSERT INTO search_index (search_index, rowid, text) SELECT 'delete', id, old.prompt FROM search_documents WHERE "sourceId" = old.id;
	DELETE FROM search_documents WHERE "sourceId" = old.id;
END;
CREATE TRIGGER sessions_search_insert AFTER INSERT ON sessions WHEN new."removedAt" IS NULL BEGIN
	INSERT INTO search_documents (kind, "sourceId", "sessionId") VALUES ('session', new.id, new.id);
	INSERT INTO search_index (rowid, text) VALUES ((SELECT id FROM search_documents WHERE "sourceId" = new.id), new.title || char(10) || new.description);
END;
CREATE TRIGGER sessions_search_update AFTER UPDATE OF title, description ON sessions BEGIN
	INSERT INTO search_index (search_index, rowid, text) SELECT 'delete', id, old.title || char(10) || old.description FROM search_documents WHERE "sourceId" = old.id;
	INSERT INTO search_index (rowid, text) SELECT id, new.title || char(10) || new.description FROM search_documents WHERE "sourceId" = new.id;
END;
CREATE TRIGGER sessions_search_remove AFTER UPDATE OF "removedAt" ON sessions WHEN new."removedAt" IS NOT NULL BEGIN
	INSERT INTO search_index (search_index, rowid, text) SELECT 'delete', id, new.title || char(10) || new.description FROM search_documents WHERE "sourceId" = new.id;
	DELETE FROM search_documents WHERE "sourceId" = new.id;
END;
CREATE TRIGGER sessions_search_delete AFTER DELETE ON sessions BEGIN
	INSERT INTO search_index (search_index, rowid, text) SELECT 'delete', id, old.title || char(10) || old.description FROM search_documents WHERE "sourceId" = old.id;
	DELETE FROM search_documents WHERE "sourceId" = old.id;
END;
COMMIT;
PRAGMA foreign_keys = ON;
