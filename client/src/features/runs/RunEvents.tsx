import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { OrchestrationEvent, OrchestrationStatus } from '@agent-console/shared/models/orchestration';
import { pluralize } from '@agent-console/shared/pluralize';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import { operationKey } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { QueryFallback } from '../../ui/QueryFallback.tsx';
import { UntrustedText } from '../../ui/UntrustedText.tsx';
import { PHONE, useMedia } from '../../ui/use-media.ts';
import { type AppendOnlySource, useAppendOnlyList } from '../events/append-only-list.ts';
import { Feed } from '../events/Feed.tsx';
import { describeRunEvent } from './describe-run-event.ts';
import { replay, stateAfter } from './replay.ts';
import { StateIcon } from './StateIcon.tsx';

const RunGraph = lazy(() => import('./graph/RunGraph.tsx'));

const ROW_PX = 29;
/**
 * Intended duration of a replay, and the shortest and longest time per event, in milliseconds. The limits per event
 * take precedence over the duration.
 */
const REPLAY_MS = 20_000;
const STEP_MS = { min: 40, max: 500 };

/** Events of a run, oldest first. The run can be shown as it was after any of them. */
export function RunEvents({ run }: { run: OrchestrationStatus }) {
  const query = useAppendOnlyList(useMemo(() => runEventsQuery(run.id), [run.id]));
  if (query.data === undefined) return <QueryFallback query={query} />;
  return <Loaded events={query.data.rows} run={run} />;
}

function Loaded({ run, events }: { run: OrchestrationStatus; events: readonly OrchestrationEvent[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  /** The run is shown as it was after this number of events; undefined shows its current state. */
  const [position, setPosition] = useState<number>();
  const shown = useMemo(() => (position === undefined ? run : replay(run, events, position)), [run, events, position]);
  const isPhone = useMedia(PHONE);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <ReplayBar count={events.length} event={events[(position ?? 0) - 1]} onMove={setPosition} position={position} />
      <div className="flex min-h-0 flex-1">
        {isPhone ? null : (
          <div className="min-w-0 flex-1 border-r border-line">
            <Suspense>
              <RunGraph run={shown} />
            </Suspense>
          </div>
        )}
        <div className="w-full md:w-96 md:max-w-[45%]">
          <Feed
            count={events.length}
            itemPx={ROW_PX}
            keyOf={(index) => events[index]?.id ?? index}
            label="Events"
            overscan={20}
            received={events.length}
            scroller={scroller}
          >
            {(index) => {
              const event = events[index];
              return event === undefined ? null : (
                <EventLine event={event} isCurrent={index + 1 === position} onShow={() => setPosition(index + 1)} />
              );
            }}
          </Feed>
        </div>
      </div>
    </div>
  );
}

/** Controls that replay the events of a run, or show the run as it was after one of them. */
function ReplayBar(props: {
  count: number;
  position: number | undefined;
  event: OrchestrationEvent | undefined;
  onMove(position: number | undefined): void;
}) {
  const { count, position, event, onMove } = props;
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying || position === undefined) return undefined;
    if (position >= count) {
      setPlaying(false);
      onMove(undefined);
      return undefined;
    }
    const wait = Math.min(STEP_MS.max, Math.max(STEP_MS.min, REPLAY_MS / count));
    const timer = setTimeout(() => onMove(position + 1), wait);
    return () => clearTimeout(timer);
  }, [isPlaying, position, count, onMove]);
  const play = () => {
    if (!isPlaying && position === undefined) onMove(1);
    setPlaying(!isPlaying);
  };
  return (
    <div className="flex h-11 shrink-0 items-center gap-3 border-b border-line px-4 max-md:px-3">
      <Button onClick={play}>{isPlaying ? 'Stop' : 'Replay'}</Button>
      <input
        aria-label="Events replayed"
        aria-valuetext={`${position ?? count} of ${pluralize(count, 'event')}`}
        className="min-w-0 max-w-120 flex-1 accent-accent"
        max={count}
        min={1}
        onChange={({ target }) => {
          setPlaying(false);
          onMove(Number(target.value));
        }}
        type="range"
        value={position ?? count}
      />
      <span className="shrink-0 text-sm tabular-nums text-quiet">
        {position === undefined ? pluralize(count, 'event') : `${position} of ${pluralize(count, 'event')}`}
        {event === undefined ? null : <span className="max-md:hidden"> · {timeOf(event)}</span>}
      </span>
      {position === undefined ? null : (
        <Button
          onClick={() => {
            setPlaying(false);
            onMove(undefined);
          }}
        >
          Show current state
        </Button>
      )}
    </div>
  );
}

function EventLine(props: { event: OrchestrationEvent; isCurrent: boolean; onShow(): void }) {
  const { event, isCurrent, onShow } = props;
  const state = stateAfter(event.eventType);
  return (
    <button
      aria-current={isCurrent || undefined}
      className="flex min-h-7 w-full items-start gap-2 px-3 py-1 text-left hover:bg-hover aria-[current=true]:bg-selected max-md:min-h-10"
      onClick={onShow}
      title="Show the run as it was after this event"
      type="button"
    >
      <time className="shrink-0 text-sm leading-5 tabular-nums text-quiet" dateTime={event.timestamp}>
        {timeOf(event)}
      </time>
      <span className="grid h-5 w-4 shrink-0 place-items-center text-quiet">
        {state === undefined ? <span aria-hidden>·</span> : <StateIcon isStill state={state} />}
      </span>
      <span className="min-w-0 break-words">
        {event.agentId === null ? null : <UntrustedText className="font-medium" text={`${event.agentId} `} />}
        {describeRunEvent(event)}
      </span>
    </button>
  );
}

function timeOf({ timestamp }: OrchestrationEvent): string {
  return new Date(timestamp).toLocaleTimeString('en-GB');
}

/**
 * Returns a source that fetches all events of a run. A replay needs all of them, because it begins with the first
 * event.
 */
function runEventsQuery(orchestrationId: string): AppendOnlySource<OrchestrationEvent> {
  const collect = async (known: readonly OrchestrationEvent[], signal: AbortSignal) => {
    const rows = [...known];
    for (;;) {
      const after = rows.at(-1)?.id;
      const input = { orchestrationId, limit: PAGE_MAX, ...(after === undefined ? {} : { after }) };
      const { data } = await call('orchestrations.events', input, { signal });
      rows.push(...data);
      if (data.length < PAGE_MAX) return { earlier: 0, rows };
    }
  };
  return {
    key: operationKey('orchestrations.events', { orchestrationId }),
    first: (signal) => collect([], signal),
    more: ({ rows }, signal) => collect(rows, signal),
  };
}
