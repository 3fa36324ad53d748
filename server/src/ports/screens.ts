export interface ScreenView {
  /** Log offset up to which the screen shows the output. */
  offset: number;
  cols: number;
  rows: number;
  /** Lines without trailing blanks (`text`), or the escape sequences that draw them (`ansi`). */
  text: string;
  /** Number of lines in `text` that are above the screen. */
  scrollback: number;
  cursor: { x: number; y: number; visible: boolean };
  alternateScreen: boolean;
  title: string | null;
  /**
   * Whether the lines in `text` are certainly correct. False after part of a flood was skipped, until these lines have
   * been drawn again.
   */
  complete: boolean;
}

/** Headless terminals that render the output of workers. */
export interface Screens {
  /**
   * Returns the screen after the newest output, with at most `scrollback` lines above it. If drawing that output takes
   * longer than SCREEN_READ_MS, returns the screen as it is drawn by then.
   * @throws BUSY if the screen is currently unavailable, for example because its thread is being restarted.
   */
  view(workerId: string, request: { scrollback: number; format: 'text' | 'ansi' }): Promise<ScreenView>;
  /** Returns the screen as it is drawn now, without waiting for unread output. Suitable for frequent polling. */
  peek(workerId: string): Promise<ScreenView>;
  /**
   * Returns the finished lines of `data` as a terminal shows them, without text drawn on the alternate screen. `lead`
   * is the output directly before `data`. With `ended`, the last line is included even if it is unfinished.
   */
  lines(workerId: string, output: { lead: Buffer; data: Buffer; ended: boolean }): Promise<string>;
  /** Deletes the stored screen of a removed worker. */
  drop(workerId: string): Promise<void>;
}
