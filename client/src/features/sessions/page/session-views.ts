/** Views of a session's work area. */
export const SESSION_VIEWS = ['terminal', 'conversation', 'diff', 'events'] as const;
export type SessionView = (typeof SESSION_VIEWS)[number];

export interface SessionSearch {
  /** Selected view; default: `terminal`. */
  view?: SessionView;
  /** Worker whose terminal is shown; default: the session's agent. */
  worker?: string;
}
