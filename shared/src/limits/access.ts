/** Who calls: logins, the process behind a connection, and the views kept for each user. */
import { MINUTE, SECOND } from './units.ts';

/** A login code works once, for this long. */
export const LOGIN_CODE_MS = 60 * SECOND;
/** The token of a dashboard log-in expires when it was not used for this long. */
export const LOGIN_UNUSED_MS = 30 * 24 * 60 * MINUTE;
/** Uses of a token are noted at most this often: each note is a write. */
export const TOKEN_USE_NOTED_MS = 1 * MINUTE;
/** A caller recognised by its process is looked at again after this time: processes end, and their sockets pass on. */
export const PEER_TRUSTED_MS = 1 * SECOND;
/** Processes whose open files are read side by side when a peer is sought: twice libuv's threads. */
export const PEER_SCAN_PROCESSES = 8;
/** Steps from a peer's process towards the root of the process tree; a caller that is nested deeper is nobody. */
export const PROCESS_ANCESTORS_MAX = 256;
/** Users whose view of the stores is kept ready; each holds up to some MB of prepared statements. */
export const VIEWERS_KEPT_MAX = 50;
