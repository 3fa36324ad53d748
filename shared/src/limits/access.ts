import { MINUTE, SECOND } from './units.ts';

/** Lifetime of a login code, which works once. */
export const LOGIN_CODE_MS = 60 * SECOND;
/** A dashboard log-in expires this long after its last use. */
export const LOGIN_UNUSED_MS = 30 * 24 * 60 * MINUTE;
/** Minimum interval between two updates of a token's stored last use, because each update is a database write. */
export const TOKEN_USE_STORED_MS = 1 * MINUTE;
/**
 * Time after which the console verifies again a caller that it identified by its process. That process may have passed
 * its socket to another process.
 */
export const PEER_TRUSTED_MS = 1 * SECOND;
/**
 * Number of processes whose open files are read in parallel to find the process at the other end of a connection. It is
 * twice the size of libuv's thread pool, so that its threads always have work.
 */
export const PEER_SCAN_PROCESSES = 8;
/**
 * Maximum processes examined from a caller's process up to the root of the process tree. A caller with more ancestors
 * is not identified.
 */
export const PROCESS_ANCESTORS_MAX = 256;
/**
 * Maximum users whose viewer scopes the server caches. The scope of one user may take some MB for prepared statements.
 */
export const VIEWER_SCOPES_MAX = 50;
