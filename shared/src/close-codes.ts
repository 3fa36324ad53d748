/** Why a WebSocket was closed; apart from the frames, since a page needs these before it needs any schema. */

/** Close codes of our own; clients that see one of these do not try again by themselves, unless it says so. */
export const CLOSE = {
  /** A frame or query makes no sense. */
  badFrame: 4400,
  /** No or no longer a valid identity; log in again. */
  unauthenticated: 4401,
  forbidden: 4403,
  notFound: 4404,
  /** The first frame did not come in time. */
  authTimeout: 4408,
  /** Something else that the `error` frame before it explains. */
  failed: 4500,
  /** Registered: the server stops or restarts; try again. */
  goingAway: 1001,
  /** Registered: too many connections or the runner is away; try again. */
  tryAgain: 1013,
} as const;
