ALTER TABLE `tokens` ADD `login` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `tokens` ADD `lastUsedAt` text;--> statement-breakpoint
UPDATE tokens SET login = 1 WHERE kind = 'user' AND ("createdBy" = 'login' OR (
	"createdBy" IS NULL AND name = 'dashboard' AND scopes = '["read","write","owner"]'
	AND NOT EXISTS (SELECT 1 FROM events e WHERE e.type = 'token.created' AND e."subjectId" = tokens.id AND e.actor <> 'login')
));--> statement-breakpoint
UPDATE tokens SET "expiresAt" = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+30 days') WHERE login = 1 AND "expiresAt" IS NULL AND "revokedAt" IS NULL;
