/** Units for limits, in bytes and milliseconds. */
export const KIB = 1024;
export const MIB = 1024 * KIB;
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const DAY = 24 * 60 * MINUTE;
