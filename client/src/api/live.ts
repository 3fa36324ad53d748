import type { ConsoleEvent } from '@agent-console/shared/models/event';
import type { Session } from '@agent-console/shared/models/session';
import type { AppServerFrame } from '@agent-console/shared/wire';
import { create } from 'zustand';
import { ReconnectingSocket, type SocketState } from './reconnecting-socket.ts';

interface Listeners {
  /** Everything anew, good up to now. */
  onSnapshot?(sessions: readonly Session[]): void;
  onEvent(event: ConsoleEvent): void;
}

/** Whether the console can be heard. */
export const useConnection = create<{ state: SocketState; brokenSince: number | undefined }>(() => ({
  state: { kind: 'connecting' },
  brokenSince: Date.now(),
}));

let line: ReconnectingSocket<AppServerFrame> | undefined;

const listeners = new Set<Listeners>();

/** Tells what is heard, for as long as the page is open. */
export function onConsoleEvents(listener: Listeners): void {
  listeners.add(listener);
}

/** Follows the console: a snapshot, then every event after it, over any number of connections. */
export function connectToConsole(): void {
  let cursor: number | undefined;
  line = new ReconnectingSocket<AppServerFrame>({
    address: () => (cursor === undefined ? '/ws/app' : `/ws/app?after=${cursor}`),
    onState: (state) => {
      useConnection.setState(({ brokenSince }) => ({
        state,
        brokenSince: state.kind === 'open' ? undefined : (brokenSince ?? Date.now()),
      }));
    },
    onFrame(frame) {
      if (frame.type === 'snapshot') {
        cursor = frame.seq;
        for (const { onSnapshot } of listeners) onSnapshot?.(frame.sessions);
      } else if (frame.type === 'event') {
        cursor = frame.event.seq;
        for (const { onEvent } of listeners) onEvent(frame.event);
      }
    },
  });
}

/** Does not wait for the next attempt. */
export function retryNow(): void {
  line?.retryNow();
}
