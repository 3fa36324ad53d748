/** Close codes of WebSockets. They are separate from the frames, since the dashboard needs them before any schema. */

/** Our own close codes. A client that receives one does not reconnect by itself, unless its comment says so. */
export const CLOSE = {
  /** Invalid frame or query. */
  badFrame: 4400,
  /** Missing or expired identity; log in again. */
  unauthenticated: 4401,
  forbidden: 4403,
  notFound: 4404,
  /** The first frame did not arrive in time. */
  authTimeout: 4408,
  /** Another failure, described by the preceding `error` frame. */
  failed: 4500,
  /** Registered: the server stops or restarts; reconnect. */
  goingAway: 1001,
  /** Registered: too many connections, or the runner is away; reconnect. */
  tryAgain: 1013,
} as const;
