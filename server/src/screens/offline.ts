import { Terminal } from '@xterm/headless';

/**
 * Creates a terminal that converts bytes to screen content. It belongs to no worker, keeps no history, and answers no
 * queries, because nothing reads the answers.
 */
export function createOfflineScreen(cols: number, rows: number) {
  const terminal = new Terminal({ cols, rows, scrollback: 0, allowProposedApi: true });
  let title: string | null = null;
  terminal.onTitleChange((next) => {
    title = next;
  });
  return {
    /** Writes bytes and resolves when they are drawn. An escape sequence may be split between two calls. */
    write: (data: Buffer) => new Promise<void>((resolve) => terminal.write(data, resolve)),
    content() {
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
