/** What the work area of a session shows. */
export const SESSION_VIEWS = ['terminal', 'conversation', 'diff', 'events'] as const;
export type SessionView = (typeof SESSION_VIEWS)[number];
