-- Earlier builds gave the session that an agent caused for the commands of a worktree no owner, depth 0, the visibility
-- workspace and the default agent's ceiling. It gets the limits of the agent's session, as new ones do. The ranks are
-- those of domain/permission-mode.ts.
WITH "ranks" ("mode", "rank") AS (
	VALUES ('plan', 1), ('default', 1), ('ask', 1), ('acceptEdits', 2), ('auto', 2), ('on-failure', 3), ('bypassPermissions', 4), ('allow-all', 4)
), "limits" AS (
	SELECT s."id", c."createdByUserId", c."visibility", c."depth" + 1 AS "depth", c."permissionCeiling" AS "ceiling",
		(SELECT "rank" FROM "ranks" WHERE "mode" = c."permissionCeiling") AS "highest"
	FROM "sessions" s JOIN "sessions" c ON c."id" = s."createdBySessionId"
	WHERE s."type" = 'worktree' AND s."parentSessionId" IS NULL AND s."forkedFromSessionId" IS NULL
)
UPDATE "sessions" SET
	"createdByUserId" = coalesce("sessions"."createdByUserId", l."createdByUserId"),
	"visibility" = CASE l."visibility" WHEN 'private' THEN 'private' ELSE "sessions"."visibility" END,
	"depth" = max("sessions"."depth", l."depth"),
	"requestedMode" = CASE
		WHEN (SELECT max("rank") FROM "ranks" WHERE "mode" IN ("sessions"."permissionMode", "sessions"."requestedMode")) > l."highest"
		THEN l."ceiling" ELSE "sessions"."requestedMode" END,
	"permissionMode" = CASE
		WHEN (SELECT max("rank") FROM "ranks" WHERE "mode" IN ("sessions"."permissionMode", "sessions"."requestedMode")) > l."highest"
		THEN l."ceiling" ELSE "sessions"."permissionMode" END,
	"permissionCeiling" = CASE
		WHEN (SELECT "rank" FROM "ranks" WHERE "mode" = "sessions"."permissionCeiling") > l."highest"
		THEN l."ceiling" ELSE "sessions"."permissionCeiling" END
FROM "limits" l WHERE l."id" = "sessions"."id";
