import type { OrchestrationStatus } from '@agent-console/shared/models/orchestration';
import { isFinal } from '@agent-console/shared/models/orchestration';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useOperationQuery } from '../../api/operations.ts';
import { openDialog } from '../../shell/dialogs.ts';
import { KEYS } from '../../shell/shortcut-table.ts';
import { shortcutsOf, useShortcuts } from '../../shell/shortcuts.ts';
import { DelayedFallback } from '../../ui/DelayedFallback.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadingPage } from '../../ui/Page.tsx';
import { RetryButton } from '../../ui/QueryFallback.tsx';
import { PHONE, useMedia } from '../../ui/use-media.ts';
import { AgentTable } from './AgentTable.tsx';
import { describeChanges } from './announcements.ts';
import { RunEvents } from './RunEvents.tsx';
import { RunHeader } from './RunHeader.tsx';
import { pause, resume, start } from './run-actions.ts';
import type { RunView } from './run-views.ts';

const RunGraph = lazy(() => import('./graph/RunGraph.tsx'));

/**
 * Maximum number of agents of a run that opens as a graph. A larger run opens as a table, in which agents are found
 * faster.
 */
const GRAPH_AGENTS_MAX = 100;

export function RunPage() {
  const { runId } = useParams({ from: '/runs/$runId' });
  const query = useOperationQuery('orchestrations.get', { orchestrationId: runId });
  if (query.isPending) return <LoadingPage />;
  if (query.data === undefined) {
    return (
      <main className="h-full">
        <EmptyState>
          <p className="text-text">{query.error?.message}</p>
          <div className="flex gap-3">
            <RetryButton query={query} />
            <Link className="self-center text-accent underline" to="/runs">
              All runs
            </Link>
          </div>
        </EmptyState>
      </main>
    );
  }
  return <LoadedRun key={query.data.id} run={query.data} />;
}

function LoadedRun({ run }: { run: OrchestrationStatus }) {
  const { id, state } = run;
  const { view: chosen } = useSearch({ from: '/runs/$runId' });
  const navigate = useNavigate({ from: '/runs/$runId' });
  const isPhone = useMedia(PHONE);
  const view = chosen ?? (isPhone || run.agents.length > GRAPH_AGENTS_MAX ? 'table' : 'graph');
  const show = (next: RunView) => void navigate({ search: { view: next }, replace: true });
  useShortcuts(
    shortcutsOf(KEYS.run, {
      'show-the-graph': () => show('graph'),
      'show-the-table': () => show('table'),
      'show-the-events': () => show('events'),
      'start-the-run': () => state === 'created' && start(id),
      'pause-the-run': () => state === 'running' && pause(id, false),
      'pause-the-run-and-interrupt-its-agents': () => (state === 'running' || state === 'paused') && pause(id, true),
      'resume-the-run': () => state === 'paused' && resume(id),
      'cancel-the-run': () => isFinal(state) || openDialog({ kind: 'cancelRun', runId: id }),
      'add-an-agent': () => isFinal(state) || openDialog({ kind: 'addAgent', runId: id }),
    }),
  );
  return (
    <main className="flex h-full min-h-0 flex-col">
      <RunHeader run={run} view={view} />
      <Announcer run={run} />
      {view === 'table' ? <AgentTable run={run} /> : null}
      {view === 'events' ? <RunEvents run={run} /> : null}
      {view === 'graph' ? (
        <div className="min-h-0 flex-1">
          <Suspense
            fallback={
              <DelayedFallback>
                <EmptyState>Loading…</EmptyState>
              </DelayedFallback>
            }
          >
            <RunGraph run={run} />
          </Suspense>
        </div>
      ) : null}
    </main>
  );
}

/** Announces changed states of a run and of its agents to screen readers. */
function Announcer({ run }: { run: OrchestrationStatus }) {
  const before = useRef(run);
  const [text, setText] = useState('');
  useEffect(() => {
    const changes = describeChanges(before.current, run);
    before.current = run;
    if (changes !== '') setText(changes);
  }, [run]);
  return (
    <p className="sr-only" role="status">
      {text}
    </p>
  );
}
