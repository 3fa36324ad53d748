/** Memory of one open dashboard. */
import { KIB, MIB, SECOND } from './units.ts';

/** Sessions in the dashboard's list. Older idle sessions are omitted, since nobody scrolls that far. */
export const DASHBOARD_SESSIONS_MAX = 5_000;
/** Terminals that the dashboard keeps open for instant switching. Each holds a connection and its scrollback. */
export const DASHBOARD_TERMINALS_MAX = 12;
/** Scrollback lines of a terminal; about 15 MB at 120 columns. */
export const DASHBOARD_SCROLLBACK_LINES = 10_000;
/** Maximum lines of earlier output, loaded on request in one terminal at a time; about 75 MB at 120 columns. */
export const DASHBOARD_HISTORY_LINES = 50_000;
/** Bytes of older output that each request for earlier output adds; some 25 000 lines of a log. */
export const DASHBOARD_HISTORY_STEP_BYTES = 2 * MIB;
/** Typed and pasted bytes of one terminal that are retained until the console accepts them. */
export const DASHBOARD_INPUT_BYTES = 256 * KIB;
/** Maximum unaccepted inputs of one terminal: far fewer than INPUT_IDS_KEPT, which all its viewers share. */
export const DASHBOARD_INPUTS_IN_FLIGHT = 128;
/** An input that was not accepted within this time is resent with its id. */
export const DASHBOARD_INPUT_RETRY_MS = 5 * SECOND;
