/** The screen of a worker's terminal. */
export interface ScreenView {
  /** Log offset after the output shown. */
  offset: number;
  cols: number;
  rows: number;
  /** Lines without trailing blanks, or the escape sequences that draw them. */
  text: string;
  /** Number of lines above the screen. */
  scrollback: number;
  cursor: { x: number; y: number; visible: boolean };
  alternateScreen: boolean;
  title: string | null;
  /** Whether all output is included. False while output that was printed too fast to be read may be missing. */
  complete: boolean;
}

/** Headless terminals that render the output of workers. */
export interface Screens {
  /**
   * Returns the screen after the newest output, with at most `scrollback` lines above it.
   * @throws RUNNER_UNAVAILABLE if the output cannot be read, BUSY if too many screens are requested at once.
   */
  view(workerId: string, request: { scrollback: number; format: 'text' | 'ansi' }): Promise<ScreenView>;
  /** Returns the screen as drawn so far, for frequent polling. It does not wait for unread output. */
  peek(workerId: string): Promise<ScreenView>;
  /**
   * Returns the finished lines of `data` as a terminal shows them, without the alternate screen. `lead` is the output
   * directly before `data`. With `ended`, the last line is included even if unfinished.
   */
  lines(workerId: string, output: { lead: Buffer; data: Buffer; ended: boolean }): Promise<string>;
  /** Deletes the stored screen of a removed worker. */
  drop(workerId: string): Promise<void>;
}
