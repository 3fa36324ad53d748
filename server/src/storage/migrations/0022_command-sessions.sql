-- Earlier builds gave the session that an agent caused for the commands of a worktree no owner, depth 0, the visibility
-- workspace and the default agent's ceiling. It gets the limits of the agent's session, as new ones do, and so do the
-- sessions below it. The ranks are those of domain/permission-mode.ts.
WITH RECURSIVE "ranks" ("mode", "rank") AS (
	VALUES ('plan', 1), ('default', 1), ('ask', 1), ('acceptEdits', 2), ('auto', 2), ('on-failure', 3), ('bypassPermissions', 4), ('allow-all', 4)
), "limits" ("id", "owner", "private", "depth", "ceiling", "highest") AS (
	SELECT s."id", c."createdByUserId", c."visibility" = 'private', c."depth" + 1, c."permissionCeiling",
		(SELECT "rank" FROM "ranks" WHERE "mode" = c."permissionCeiling")
	FROM "sessions" s JOIN "sessions" c ON c."id" = s."createdBySessionId"
	WHERE s."type" = 'worktree' AND s."parentSessionId" IS NULL AND s."forkedFromSessionId" IS NULL
	UNION
	SELECT s."id", l."owner", l."private", l."depth" + 1, l."ceiling", l."highest"
	FROM "limits" l JOIN "sessions" s ON s."createdBySessionId" = l."id"
	UNION
	SELECT s."id", l."owner", l."private", l."depth" + 1, l."ceiling", l."highest"
	FROM "limits" l JOIN "sessions" s ON s."parentSessionId" = l."id"
), "ceilings" AS (
	-- SQLite takes "ceiling" from the row with the minimum.
	SELECT "id", "ceiling", min("highest") AS "highest" FROM "limits" GROUP BY "id"
), "bounds" AS (
	SELECT "id", max("owner") AS "owner", max("private") AS "private", max("depth") AS "depth" FROM "limits" GROUP BY "id"
)
UPDATE "sessions" SET
	"createdByUserId" = coalesce("sessions"."createdByUserId", b."owner"),
	"visibility" = CASE WHEN b."private" THEN 'private' ELSE "sessions"."visibility" END,
	"depth" = max("sessions"."depth", b."depth"),
	"requestedMode" = CASE
		WHEN (SELECT "rank" FROM "ranks" WHERE "mode" = coalesce("sessions"."requestedMode", "sessions"."permissionMode")) > c."highest"
		THEN c."ceiling" ELSE "sessions"."requestedMode" END,
	"permissionMode" = CASE
		WHEN (SELECT "rank" FROM "ranks" WHERE "mode" = "sessions"."permissionMode") > c."highest"
		THEN c."ceiling" ELSE "sessions"."permissionMode" END,
	"permissionCeiling" = CASE
		WHEN (SELECT "rank" FROM "ranks" WHERE "mode" = "sessions"."permissionCeiling") > c."highest"
		THEN c."ceiling" ELSE "sessions"."permissionCeiling" END
FROM "bounds" b JOIN "ceilings" c USING ("id") WHERE b."id" = "sessions"."id";
