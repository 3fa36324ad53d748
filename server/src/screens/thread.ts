import { parentPort } from 'node:worker_threads';
import { renderLines } from './lines.ts';
import type { FromThread, Question, Reply, ToThread } from './messages.ts';
import { ScreenTerminal } from './terminal.ts';

/** Worker thread that runs all terminal screens. The server can rebuild all state of this thread. */
const port = parentPort;
if (port === null) throw new Error('This program must run as a worker thread.');
const post = (message: FromThread) => port.postMessage(message);

const screens = new Map<number, { terminal: ScreenTerminal; answersFrom: number }>();

function screenOf(id: number): ScreenTerminal {
  const found = screens.get(id);
  if (found === undefined) throw new Error('This screen is closed.');
  return found.terminal;
}

function reply(question: Question): Reply[keyof Reply] {
  switch (question.about) {
    case 'view':
      return screenOf(question.screen).view(question.scrollback, question.format);
    case 'snapshot':
      return screenOf(question.screen).snapshot(question.history);
    case 'state':
      return screenOf(question.screen).state();
    case 'lines':
      return renderLines(question);
  }
}

function write(id: number, data: Buffer): void {
  const screen = screens.get(id);
  if (screen === undefined) return;
  const { terminal, answersFrom } = screen;
  const old = Math.min(data.length, Math.max(0, answersFrom - terminal.next));
  if (old > 0) terminal.write(data.subarray(0, old));
  if (old < data.length) terminal.write(data.subarray(old), true);
  post({ type: 'wrote', screen: id, bytes: data.length });
}

port.on('message', (message: ToThread) => {
  switch (message.type) {
    case 'open': {
      const { screen } = message;
      const onAnswer = (answer: { offset: number; nth: number; data: string }) =>
        post({ type: 'answer', screen, ...answer });
      const onFault = (fault: { offset: number; message: string }) => post({ type: 'fault', screen, ...fault });
      screens.get(screen)?.terminal.dispose();
      const terminal = new ScreenTerminal({ ...message, onAnswer, onFault });
      screens.set(screen, { terminal, answersFrom: message.answersFrom });
      return;
    }
    case 'write':
      return write(message.screen, Buffer.from(message.data.buffer, message.data.byteOffset, message.data.byteLength));
    case 'resize':
      return screens.get(message.screen)?.terminal.resize(message.cols, message.rows);
    case 'skip':
      return screens.get(message.screen)?.terminal.skip(message.offset, message.until);
    case 'close':
      screens.get(message.screen)?.terminal.dispose();
      screens.delete(message.screen);
      return;
    case 'ask':
      try {
        post({ type: 'reply', request: message.request, value: reply(message.question) });
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        post({ type: 'failed', request: message.request, message: text });
      }
  }
});
