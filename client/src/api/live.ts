import type { ConsoleEvent } from '@agent-console/shared/models/event';
import type { Session } from '@agent-console/shared/models/session';
import type { AppServerFrame } from '@agent-console/shared/wire';
import { create } from 'zustand';
import { ReconnectingSocket, type SocketState } from './reconnecting-socket.ts';

interface Listeners {
  onSnapshot?(sessions: readonly Session[]): void;
  onEvent(event: ConsoleEvent): void;
  /**
   * Called when the console sends a `conversation.grown` event ahead of earlier events that are delayed. `onEvent`
   * receives the same event later, in order.
   */
  onGrown?(sessionId: string): void;
}

export const useConnection = create<{ state: SocketState; offlineSince: number | undefined }>(() => ({
  state: { kind: 'connecting' },
  offlineSince: Date.now(),
}));

let socket: ReconnectingSocket<AppServerFrame> | undefined;

const listeners = new Set<Listeners>();

/** Registers a listener for the lifetime of the page. */
export function onConsoleEvents(listener: Listeners): void {
  listeners.add(listener);
}

/**
 * Opens the event stream: a snapshot of the sessions, followed by every later event. After a reconnect, the stream
 * continues after the last received event if possible; otherwise, it starts with a new snapshot.
 */
export function connectToConsole(): void {
  let cursor: number | undefined;
  socket = new ReconnectingSocket<AppServerFrame>({
    path: () => (cursor === undefined ? '/ws/app' : `/ws/app?after=${cursor}`),
    onState: (state) => {
      useConnection.setState(({ offlineSince }) => ({
        state,
        offlineSince: state.kind === 'open' ? undefined : (offlineSince ?? Date.now()),
      }));
    },
    onFrame(frame) {
      if (frame.type === 'snapshot') {
        cursor = frame.seq;
        for (const { onSnapshot } of listeners) onSnapshot?.(frame.sessions);
      } else if (frame.type === 'event') {
        cursor = frame.event.seq;
        for (const { onEvent } of listeners) onEvent(frame.event);
      } else if (frame.type === 'early') {
        for (const { onGrown } of listeners) onGrown?.(frame.event.subject.id);
      }
    },
  });
}

/** Reconnects without waiting for the backoff. */
export function retryNow(): void {
  socket?.retryNow();
}
