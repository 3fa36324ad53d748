import type { EventHub } from '../../ports/events.ts';
import type { Storage } from '../../ports/storage.ts';

/** Resolves when a worker is not in state `starting`: its process was started, or its start has failed. */
export async function startSettled(
  { read, hub }: { read: Pick<Storage['read'], 'workers'>; hub: Pick<EventHub, 'onEvents'> },
  workerId: string,
): Promise<void> {
  let changed = () => {};
  const close = hub.onEvents((events) => {
    if (events.some(({ event }) => event.subject.id === workerId)) changed();
  });
  try {
    for (;;) {
      const change = new Promise<void>((resolve) => {
        changed = resolve;
      });
      if ((await read.workers.get(workerId))?.state !== 'starting') return;
      await change;
    }
  } finally {
    close();
  }
}
