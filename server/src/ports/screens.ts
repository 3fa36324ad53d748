/** The screen of a worker's terminal. */
export interface ScreenView {
  /** Log offset behind the output shown. */
  offset: number;
  cols: number;
  rows: number;
  /** Lines without trailing blanks, or the escape sequences that draw them. */
  text: string;
  /** How many of the lines are above the screen. */
  scrollback: number;
  cursor: { x: number; y: number; visible: boolean };
  alternateScreen: boolean;
  title: string | null;
  /** False while output that was printed too fast to be read may be missing. */
  complete: boolean;
}

/** Headless terminals, fed with the output of workers. */
export interface Screens {
  /**
   * The screen after the newest output.
   * @param request.scrollback lines above the screen, at most.
   * @throws RUNNER_UNAVAILABLE when the output cannot be read, BUSY when too many screens are requested at once.
   */
  view(workerId: string, request: { scrollback: number; format: 'text' | 'ansi' }): Promise<ScreenView>;
  /** The screen as drawn so far, for frequent polling: output that is still unread is not waited for. */
  peek(workerId: string): Promise<ScreenView>;
  /**
   * The finished lines of `data` as a terminal shows them; `lead` is the output directly before. With `ended` also the
   * last line, which nothing will finish. The alternate screen is left out.
   */
  lines(workerId: string, output: { lead: Buffer; data: Buffer; ended: boolean }): Promise<string>;
  /** Deletes the stored screen of a removed worker. */
  drop(workerId: string): Promise<void>;
}
