import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { WebglAddon } from '@xterm/addon-webgl';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import './terminal.css';
import { neutralizeBidi } from './bidi-filter.ts';
import type { Dimensions } from './fit-font.ts';
import { currentTheme, onThemeChange } from './theme.ts';
import { WriteQueue } from './write-queue.ts';

const FONT = '"JetBrains Mono", ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';
/** Minimum contrast ratio. Needed because agents do not know the background for which they choose colours. */
const CONTRAST = 4.5;
/** Key in local storage. The value `off` disables WebGL, for graphics drivers that render incorrectly. */
const GRAPHICS_KEY = 'agent-console.terminal-graphics';
/**
 * Maximum relative difference between the expected and the actual size of the WebGL canvas. Rounding to device pixels
 * causes a far smaller difference. A browser that scales the canvas wrongly causes a difference of at least a quarter.
 */
const CANVAS_TOLERANCE = 0.1;
/** Maximum number of search matches that are highlighted and counted. */
export const MATCHES_MAX = 1_000;

/**
 * Cache of rendered screen sizes, by everything that affects the size. The cache avoids measurements, each of which
 * makes the browser lay out the page. All terminals share the cache, because they have the same font.
 */
const drawnSizes = new Map<string, Dimensions>();
const DRAWN_SIZES_MAX = 500;

export interface EmulatorOptions {
  scrollback: number;
  fontSize: number;
  /** Called when the user clicks a link. The terminal opens no link itself. */
  onLink(address: string): void;
}

/** A terminal without a connection: rendering, scrolling, selection and search. */
export class Emulator {
  readonly terminal: Terminal;
  readonly queue: WriteQueue;
  readonly search = new SearchAddon({ highlightLimit: MATCHES_MAX });
  readonly host = document.createElement('div');
  readonly #fit = new FitAddon();
  readonly #stopTheme: () => void;
  #webgl: WebglAddon | undefined;
  /** Whether to use the DOM renderer, because WebGL is disabled or has failed. */
  #plain = localStorage.getItem(GRAPHICS_KEY) === 'off';
  #opened = false;

  constructor({ scrollback, fontSize, onLink }: EmulatorOptions) {
    this.host.className = 'terminal-host';
    this.terminal = new Terminal({
      allowProposedApi: true,
      fontFamily: FONT,
      fontSize,
      lineHeight: 1.15,
      scrollback,
      theme: currentTheme(),
      minimumContrastRatio: CONTRAST,
      cursorInactiveStyle: 'outline',
      linkHandler: { activate: (_event, address) => onLink(address) },
    });
    this.queue = new WriteQueue(neutralizeBidi(this.terminal));
    this.terminal.loadAddon(this.#fit);
    this.terminal.loadAddon(this.search);
    this.terminal.loadAddon(new WebLinksAddon((_event, address) => onLink(address)));
    this.terminal.loadAddon(new Unicode11Addon());
    this.terminal.unicode.activeVersion = '11';
    ignoreTerminalQueries(this.terminal);
    this.#paintHost();
    this.#stopTheme = onThemeChange((theme) => {
      this.terminal.options.theme = theme;
      this.#paintHost();
    });
  }

  show(box: HTMLElement): void {
    box.append(this.host);
    if (!this.#opened) {
      this.#opened = true;
      this.terminal.open(this.host);
    }
    this.#drawWithGraphics();
    this.terminal.refresh(0, this.terminal.rows - 1);
  }

  /** Detaches the terminal. It then still parses output, but does not render, and its graphics context is released. */
  hide(): void {
    this.host.remove();
    this.#dropGraphics();
  }

  /**
   * Returns the size that fills the container at the current font; undefined if there is no container or it is too
   * small.
   */
  sizeToFill(): { cols: number; rows: number } | undefined {
    const fits = this.#fit.proposeDimensions();
    return fits === undefined || !(fits.cols >= 2 && fits.rows >= 2) ? undefined : fits;
  }

  /** Returns the rendered size of the screen in pixels. */
  drawn(): Dimensions {
    return this.drawnAt(this.fontSize);
  }

  /**
   * Returns the size in pixels that the screen would have at a font size. May set the terminal to this font size in
   * order to measure the screen.
   */
  drawnAt(fontSize: number): Dimensions {
    const { cols, rows } = this.terminal;
    const key = [fontSize, cols, rows, devicePixelRatio, this.#webgl === undefined].join(' ');
    const known = drawnSizes.get(key);
    if (known !== undefined) return known;
    this.setFontSize(fontSize);
    const screen = this.host.querySelector<HTMLElement>('.xterm-screen');
    const size = { width: screen?.offsetWidth ?? 0, height: screen?.offsetHeight ?? 0 };
    // While the terminal is not attached to the page, its screen has the size 0. This size must not be cached.
    if (size.width === 0) return size;
    if (drawnSizes.size >= DRAWN_SIZES_MAX) drawnSizes.clear();
    drawnSizes.set(key, size);
    return size;
  }

  /**
   * Returns the height in pixels from the top of the screen to the end of the last row with text, or to the end of the
   * cursor's row if that is lower.
   */
  writtenHeight(): number {
    const { rows, buffer } = this.terminal;
    const { active } = buffer;
    let row = rows - 1;
    while (row > active.cursorY && active.getLine(active.viewportY + row)?.translateToString(true) === '') row -= 1;
    return ((row + 1) * this.drawn().height) / rows;
  }

  get fontSize(): number {
    return this.terminal.options.fontSize ?? 0;
  }

  setFontSize(size: number): void {
    if (this.fontSize !== size) this.terminal.options.fontSize = size;
  }

  /**
   * Resizes the terminal after the output that was written before this call, and before the output that is written
   * later.
   */
  resizeInOrder({ cols, rows }: { cols: number; rows: number }, then?: () => void): void {
    this.queue.act(() => {
      if (this.terminal.cols !== cols || this.terminal.rows !== rows) this.terminal.resize(cols, rows);
      then?.();
    });
  }

  restart(size: { cols: number; rows: number }, data: string, then?: () => void): void {
    this.queue.act(() => this.terminal.reset());
    this.resizeInOrder(size);
    if (data !== '') this.queue.write(data);
    if (then !== undefined) this.queue.act(then);
  }

  dispose(): void {
    this.hide();
    this.#stopTheme();
    this.terminal.dispose();
  }

  #paintHost(): void {
    this.host.style.background = this.terminal.options.theme?.background ?? '';
  }

  #drawWithGraphics(): void {
    if (this.#plain || this.#webgl !== undefined) return;
    const webgl = new WebglAddon();
    webgl.onContextLoss(() => {
      this.#plain = true;
      this.#dropGraphics();
    });
    try {
      this.terminal.loadAddon(webgl);
      this.#webgl = webgl;
      requestAnimationFrame(() => requestAnimationFrame(() => this.#checkGraphics()));
    } catch {
      this.#plain = true;
      webgl.dispose();
    }
  }

  /** Switches to the DOM renderer if the browser scales the canvas, because WebGL would then show distorted text. */
  #checkGraphics(): void {
    const canvas = this.host.querySelector<HTMLCanvasElement>('.xterm-screen > canvas:not([class])');
    if (this.#webgl === undefined || canvas === null || canvas.clientWidth === 0) return;
    const off = canvas.width / (canvas.clientWidth * devicePixelRatio);
    if (Math.abs(off - 1) < CANVAS_TOLERANCE) return;
    this.#plain = true;
    this.#dropGraphics();
  }

  #dropGraphics(): void {
    const webgl = this.#webgl;
    if (webgl === undefined) return;
    this.#webgl = undefined;
    const contexts = [...this.host.querySelectorAll('canvas')].map((canvas) => canvas.getContext('webgl2'));
    webgl.dispose();
    // WebGL contexts are released explicitly, because unused contexts count against the browser's limit until they are
    // collected as garbage.
    for (const context of contexts) context?.getExtension('WEBGL_lose_context')?.loseContext();
  }
}

/** Sequences with which a program queries the terminal, without their parameters. */
const ASKING_CSI = [
  { final: 'n' },
  { prefix: '?', final: 'n' },
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { prefix: '=', final: 'c' },
  { intermediates: '$', final: 'p' },
  { prefix: '?', intermediates: '$', final: 'p' },
  { prefix: '>', final: 'q' },
  { prefix: '?', final: 'u' },
  { final: 't' },
];
const ASKING_DCS = [
  { intermediates: '$', final: 'q' },
  { intermediates: '+', final: 'q' },
];
/** Numbers of the OSC sequences that set or query a colour. In a query, a question mark replaces the colour. */
const COLOUR_OSC = [4, 10, 11, 12, 17, 19];
const CLIPBOARD_OSC = 52;

/**
 * Makes the terminal ignore queries from the program. The console answers them. If browsers answered, several viewers
 * would send several answers, and replayed output would cause late ones. Access to the clipboard is denied too.
 */
function ignoreTerminalQueries(terminal: Terminal): void {
  for (const id of ASKING_CSI) terminal.parser.registerCsiHandler(id, () => true);
  for (const id of ASKING_DCS) terminal.parser.registerDcsHandler(id, () => true);
  for (const id of COLOUR_OSC) terminal.parser.registerOscHandler(id, (data) => data.includes('?'));
  terminal.parser.registerOscHandler(CLIPBOARD_OSC, () => true);
}
