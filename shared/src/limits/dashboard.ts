/** What one page of the dashboard keeps. */
import { KIB, MIB, SECOND } from './units.ts';

/** Sessions a page keeps in its list; older ones that do nothing are left out, since nobody scrolls that far. */
export const PAGE_SESSIONS_MAX = 5_000;
/** Terminals that a page keeps alive, so that going between them takes no time: each has a connection and its lines. */
export const PAGE_TERMINALS_MAX = 12;
/** Lines above the screen of a page's terminal; at 120 columns about 15 MB. */
export const PAGE_SCROLLBACK_LINES = 10_000;
/** Lines of earlier output shown at once, in one terminal and on request; at 120 columns about 75 MB. */
export const PAGE_HISTORY_LINES = 50_000;
/** Stored output by which each request for earlier output reaches further back; some 25 000 lines of a log. */
export const PAGE_HISTORY_STEP_BYTES = 2 * MIB;
/** Typed and pasted bytes of one terminal that a page keeps until the console has them. */
export const PAGE_INPUT_KEPT_BYTES = 256 * KIB;
/** Inputs of one page on their way at once: far fewer than INPUT_IDS_KEPT, which all who type share. */
export const PAGE_INPUTS_TRAVELLING = 128;
/** An input that nobody accepted for this long is sent again under its id. */
export const PAGE_INPUT_REPEAT_MS = 5 * SECOND;
