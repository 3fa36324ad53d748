import { ConsoleError } from '@agent-console/shared/errors';
import { see } from '@agent-console/shared/see';
import { WorkerClientFrame } from '@agent-console/shared/wire';
import type { Caller } from '../../domain/caller.ts';
import type { OutputStreams, Terminals } from '../../ports/terminals.ts';
import type { Connection } from './connection.ts';
import type { Driver, Drivers } from './drivers.ts';
import { Keyboard } from './keyboard.ts';
import type { Route } from './routes.ts';
import type { Viewers } from './viewers.ts';

export interface WorkerSocketParts {
  terminals: Terminals;
  streams: OutputStreams;
  drivers: Drivers;
  viewers: Viewers;
}

/**
 * Serves a worker's terminal until the connection ends.
 * @throws ConsoleError if the caller may not view it, UNSUPPORTED for a git-diff worker.
 */
export async function serveWorker(
  connection: Connection,
  caller: Caller,
  target: Extract<Route, { kind: 'worker' }>,
  parts: WorkerSocketParts,
): Promise<void> {
  const { terminals, streams, drivers, viewers } = parts;
  const open = () => terminals.open(caller, target.sessionId, target.workerId);
  const { worker, canType } = await open();
  if (worker.type === 'git-diff') {
    const diff = see('worktrees.diff');
    throw new ConsoleError('UNSUPPORTED', `A git-diff worker has no terminal. Use ${diff.rest}.`, { see: diff });
  }
  if (connection.signal.aborted) return;

  const keyboard = new Keyboard(terminals, connection, worker.id);
  const driver: Driver = { notify: (you) => connection.send({ type: 'driver', you }) };
  const driving = canType && !target.isWatching && drivers.join(worker.id, driver);
  let introduced = false;
  // The first frame is the snapshot, if there is one. The next frame is `driver`, which says whether this viewer sets
  // the terminal's size.
  function introduce(): void {
    if (introduced) return;
    introduced = true;
    driver.notify(driving && drivers.isDriving(worker.id, driver));
  }

  const view = streams.view(worker.id, target.fromOffset, {
    onData: (offset, data) => {
      introduce();
      return connection.sendOutput(offset, data);
    },
    onSnapshot: ({ offset, cols, rows, data }) => {
      connection.send({ type: 'snapshot', offset, cols, rows, data });
      introduce();
    },
    onResized: ({ offset, cols, rows }) => connection.send({ type: 'resized', offset, cols, rows }),
    onExit: ({ offset, exitCode, signal }) => connection.send({ type: 'exited', offset, exitCode, signal }),
    onFailed: (error) => connection.fail(error),
  });
  connection.onDrained(() => view.drained());
  const leave = viewers.add(worker.sessionId, () => {
    open().catch((error) => connection.fail(error));
  });
  connection.signal.addEventListener('abort', () => {
    leave();
    view.close();
    if (canType) drivers.leave(worker.id, driver);
  });
  if (target.fromOffset !== undefined) introduce();

  function requireKeyboard(): boolean {
    if (canType) return true;
    connection.sendError(new ConsoleError('PERMISSION_DENIED', 'You may view this terminal, but not type in it.'));
    return false;
  }

  connection.onFrame((text) => {
    const frame = connection.parse(WorkerClientFrame, text);
    switch (frame?.type) {
      case 'input':
        if (!requireKeyboard()) return;
        drivers.typed(worker.id, driver);
        keyboard.type(frame.inputId, Buffer.from(frame.data));
        return;
      case 'resize':
        if (!requireKeyboard()) return;
        if (drivers.isDriving(worker.id, driver)) keyboard.resize(frame.cols, frame.rows);
        else
          connection.sendError(
            new ConsoleError('CONFLICT', 'Another viewer controls the terminal size. Send takeDriver first.'),
          );
        return;
      case 'ack':
        view.acked(frame.offset);
        return;
      case 'takeDriver':
        if (!requireKeyboard()) return;
        if (frame.whenIdle === true) drivers.takeIfIdle(worker.id, driver);
        else drivers.take(worker.id, driver);
        return;
      case 'ping':
        connection.send({ type: 'pong' });
        return;
      default:
    }
  });
}
