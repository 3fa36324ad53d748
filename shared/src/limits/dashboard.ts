import { KIB, MIB, SECOND } from './units.ts';

/**
 * Maximum sessions in the dashboard's list. Older sessions that are not live are omitted, because nobody scrolls that
 * far.
 */
export const DASHBOARD_SESSIONS_MAX = 5_000;
/**
 * Maximum terminals that the dashboard keeps open, so that switching to one of them takes no time. Each needs a
 * connection and memory for its scrollback.
 */
export const DASHBOARD_TERMINALS_MAX = 12;
/** Scrollback lines of a terminal in the dashboard. They take about 15 MB of memory at 120 columns. */
export const DASHBOARD_SCROLLBACK_LINES = 10_000;
/** Maximum lines of earlier output, loaded on request in one terminal at a time; about 75 MB at 120 columns. */
export const DASHBOARD_HISTORY_LINES = 50_000;
/** Bytes of output that each request for earlier output adds; some 25 000 lines of a log. */
export const DASHBOARD_HISTORY_STEP_BYTES = 2 * MIB;
/** Maximum typed and pasted bytes of one terminal that are buffered until the console accepts them. */
export const DASHBOARD_INPUT_BYTES = 256 * KIB;
/**
 * Maximum inputs of one terminal that the dashboard has sent and the console has not accepted. Far lower than
 * INPUT_IDS_KEPT, so that the runner remembers the ids even if several dashboards type into one worker.
 */
export const DASHBOARD_INPUTS_IN_FLIGHT = 128;
/** Time after which the dashboard repeats an input that the console has not accepted, with the same id. */
export const DASHBOARD_INPUT_RETRY_MS = 5 * SECOND;
