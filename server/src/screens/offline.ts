import { Terminal } from '@xterm/headless';

/** A terminal without a worker: bytes in, what a person would see out. */
export interface OfflineScreen {
  /** Resolves when the bytes have been drawn; a sequence may be cut anywhere. */
  write(data: Buffer): Promise<void>;
  picture(): { lines: string[]; title: string | null; alternateScreen: boolean };
  close(): void;
}

/** Nothing is asked back by a recording, so queries in it stay without an answer, and no history is kept. */
export function createOfflineScreen(cols: number, rows: number): OfflineScreen {
  const terminal = new Terminal({ cols, rows, scrollback: 0, allowProposedApi: true });
  let title: string | null = null;
  terminal.onTitleChange((given) => {
    title = given;
  });
  return {
    write: (data) => new Promise((resolve) => terminal.write(data, resolve)),
    picture() {
      const buffer = terminal.buffer.active;
      const lines = Array.from(
        { length: rows },
        (_, row) => buffer.getLine(buffer.baseY + row)?.translateToString(true) ?? '',
      );
      return { lines, title, alternateScreen: buffer.type === 'alternate' };
    },
    close: () => terminal.dispose(),
  };
}
