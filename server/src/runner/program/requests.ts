import { ConsoleError } from '@agent-console/shared/errors';
import * as v from 'valibot';
import { InputBytes, type Request, type RunnerStatus } from '../messages.ts';
import type { Connection } from './connection.ts';
import type { ServerKeeper } from './server-keeper.ts';
import type { Workers } from './workers.ts';

export interface RequestParts {
  workers: Workers;
  server: ServerKeeper;
  status(): RunnerStatus;
  /** Ends every worker, the server and the runner. The response to the client is sent before the runner ends. */
  stopAll(): Promise<void>;
}

export async function answer(parts: RequestParts, from: Connection, request: Request, bytes: Buffer): Promise<unknown> {
  const { workers, server } = parts;
  switch (request.op) {
    case 'spawn':
      return workers.spawn(request.spec);
    case 'list':
      return workers.list();
    case 'input':
      if (!v.is(InputBytes, bytes.length))
        throw new ConsoleError('TOO_LARGE', 'The input is too large. Send it in smaller parts');
      return workers.get(request.workerId).input(request.inputId, bytes);
    case 'resize':
      return workers.get(request.workerId).resize(request.cols, request.rows);
    case 'signal':
      return workers.get(request.workerId).signal(request.signal);
    case 'end':
      return workers.end(request.workerId, request.graceMs);
    case 'forget':
      return workers.forget(request.workerId);
    case 'dropLog':
      return workers.dropLog(request.workerId);
    case 'subscribe':
      workers.get(request.workerId).follow(from, request.handle, request.fromOffset).pump();
      return null;
    case 'unsubscribe':
      return from.removeSubscription(request.handle);
    case 'runServer':
      return server.run(request.settings, request.restart);
    case 'stopServer':
      return server.stop();
    case 'stopAll':
      return parts.stopAll();
    case 'status':
      return parts.status();
  }
}
