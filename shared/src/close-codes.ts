/**
 * WebSocket close codes. They are in their own file, so that the dashboard can use them without loading the schemas.
 */

/**
 * Application close codes (4xxx) and standard codes. "Reconnect" in a comment marks a code after which a retry may
 * succeed.
 */
export const CLOSE = {
  /** Invalid frame or query. */
  badFrame: 4400,
  /** Missing or expired credentials; log in again. */
  unauthenticated: 4401,
  forbidden: 4403,
  notFound: 4404,
  /** The client did not send its first frame in time. */
  authTimeout: 4408,
  /** Any other failure, which the server has described in an `error` frame before it closes the socket. */
  failed: 4500,
  /** Standard code: the server stops or restarts; reconnect. */
  goingAway: 1001,
  /** Standard code: too many connections, or the runner is unavailable; reconnect. */
  tryAgain: 1013,
} as const;
