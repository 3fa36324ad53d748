import type { AppServerFrame } from '@agent-console/shared/wire';
import { Line, type LineState } from './line.ts';
import type { SessionStore } from './sessions/store.ts';

/** Keeps the store as the console is: a snapshot, then every event after it, over any number of connections. */
export function followConsole(store: SessionStore, onState: (state: LineState) => void): Line<AppServerFrame> {
  let cursor: number | undefined;
  return new Line<AppServerFrame>({
    address: () => (cursor === undefined ? '/ws/app' : `/ws/app?after=${cursor}`),
    onState,
    onFrame(frame) {
      if (frame.type === 'snapshot') {
        cursor = frame.seq;
        store.reset(frame.sessions);
      } else if (frame.type === 'event') {
        cursor = frame.event.seq;
        store.note(frame.event);
      }
    },
  });
}
