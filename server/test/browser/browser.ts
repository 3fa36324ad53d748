import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import WebSocket from 'ws';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Where a Chromium is installed, or undefined: then browser tests are skipped, and say so. */
export function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))).find((file) => fs.existsSync(file));
}

interface Answer {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message: string };
}

/** A headless Chromium with one page, driven over its debugging protocol. */
export class Browser {
  readonly #process: ChildProcess;
  readonly #folder: string;
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, { resolve(result: Record<string, unknown>): void; reject(error: Error): void }>();
  #lastId = 0;
  /** What the page logged as errors, thrown or refused by its policy. */
  readonly problems: string[] = [];

  private constructor(chromium: ChildProcess, folder: string, socket: WebSocket) {
    this.#process = chromium;
    this.#folder = folder;
    this.#socket = socket;
    socket.on('message', (data) => this.#receive(JSON.parse(data.toString()) as Answer));
  }

  static async launch(executable: string): Promise<Browser> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'browser-'));
    const chromium = spawn(
      executable,
      [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--disable-dev-shm-usage',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--remote-debugging-port=0',
        `--user-data-dir=${folder}`,
        'about:blank',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const endpoint = await new Promise<string>((resolve, reject) => {
      let said = '';
      chromium.stderr?.on('data', (part: Buffer) => {
        said += part.toString();
        const match = /ws:\/\/[^\s]+/.exec(said);
        if (match !== null) resolve(match[0]);
      });
      chromium.once('exit', () => reject(new Error(`chromium ended: ${said}`)));
    });
    const pages = (await (await fetch(`http://${new URL(endpoint).host}/json`)).json()) as {
      type: string;
      webSocketDebuggerUrl: string;
    }[];
    const page = pages.find(({ type }) => type === 'page');
    if (page === undefined) throw new Error('chromium has no page');
    const socket = new WebSocket(page.webSocketDebuggerUrl, { maxPayload: 256 * 1024 * 1024 });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const browser = new Browser(chromium, folder, socket);
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await browser.send(`${domain}.enable`);
    return browser;
  }

  async send(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  async open(url: string): Promise<void> {
    await this.send('Page.navigate', { url });
  }

  async size(width: number, height: number, dark: boolean): Promise<void> {
    const mobile = width < 700;
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: mobile ? 2 : 1, mobile });
    await this.send('Emulation.setEmulatedMedia', {
      features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }],
    });
  }

  /** The value of an expression in the page. */
  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = (await this.send('Runtime.evaluate', {
      expression,
      returnByValue: true,
      awaitPromise: true,
    })) as { result: { value: T }; exceptionDetails?: { text: string } };
    if (exceptionDetails !== undefined) throw new Error(`${exceptionDetails.text}: ${expression}`);
    return result.value;
  }

  /** Waits until an expression in the page is true, looking at each frame it draws. */
  async until(expression: string): Promise<void> {
    await this.evaluate(`new Promise((resolve) => {
      const look = () => { let holds = false; try { holds = Boolean(${expression}); } catch {}
        holds ? resolve(true) : setTimeout(look, 15); };
      look();
    })`).catch(() => this.until(expression));
  }

  async type(text: string): Promise<void> {
    for (const character of text) await this.send('Input.dispatchKeyEvent', { type: 'char', text: character });
  }

  async press(key: string, code: string, keyCode: number): Promise<void> {
    const text = key === 'Enter' ? '\r' : key.length === 1 ? key : undefined;
    const event = { key, code, windowsVirtualKeyCode: keyCode, ...(text === undefined ? {} : { text }) };
    await this.send('Input.dispatchKeyEvent', { type: text === undefined ? 'rawKeyDown' : 'keyDown', ...event });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  }

  async screenshot(file: string): Promise<void> {
    const { data } = (await this.send('Page.captureScreenshot', { format: 'png' })) as { data: string };
    fs.writeFileSync(file, Buffer.from(data, 'base64'));
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGKILL');
    await ended;
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #receive({ id, method, params, result, error }: Answer): void {
    if (id !== undefined) {
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      if (error !== undefined) pending?.reject(new Error(error.message));
      else pending?.resolve(result ?? {});
      return;
    }
    if (method === 'Runtime.exceptionThrown') this.problems.push(JSON.stringify(params));
    if (method === 'Log.entryAdded') {
      const { entry } = params as { entry: { level: string; text: string; url?: string } };
      if (entry.level === 'error') this.problems.push(`${entry.text} ${entry.url ?? ''}`);
    }
  }
}
