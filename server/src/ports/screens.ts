/** What a worker's terminal shows. */
export interface ScreenView {
  /** Offset of the output that is shown. */
  offset: number;
  cols: number;
  rows: number;
  /** Lines as shown, trailing blanks left out; or the escape sequences that draw them. */
  text: string;
  /** How many of the lines stand above the screen. */
  scrollback: number;
  cursor: { x: number; y: number; visible: boolean };
  alternateScreen: boolean;
  title: string | null;
  /** False while something that was printed too fast to be read may be missing in what is shown. */
  complete: boolean;
}

/** Terminals without a window, kept from the output of workers. */
export interface Screens {
  /**
   * The screen at the newest output, of an ended worker at its last. RUNNER_UNAVAILABLE when its output cannot be read.
   * @param request.scrollback lines above the screen, at most.
   */
  view(workerId: string, request: { scrollback: number; format: 'text' | 'ansi' }): Promise<ScreenView>;
  /** The screen as far as it is drawn by now, for whoever looks often: nothing is hurried for it. BUSY as with `view`. */
  peek(workerId: string): Promise<ScreenView>;
  /**
   * The finished lines of `data` as a terminal shows them, `lead` being the output right before it. With `ended` also
   * the last line, which nothing will finish. What is drawn on the alternate screen is left out.
   */
  lines(workerId: string, output: { lead: Buffer; data: Buffer; ended: boolean }): Promise<string>;
  /** Deletes what is stored of a removed worker. */
  drop(workerId: string): Promise<void>;
}
