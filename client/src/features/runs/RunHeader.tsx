import type { Budget, BudgetUse } from '@agent-console/shared/models/budget';
import type { OrchestrationStatus } from '@agent-console/shared/models/orchestration';
import { isFinal } from '@agent-console/shared/models/orchestration';
import { failedToIntegrate } from '@agent-console/shared/orchestration-integration';
import { pluralize } from '@agent-console/shared/pluralize';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { openDialog } from '../../shell/dialogs.ts';
import { useKeyHints } from '../../shell/key-hints.ts';
import { Age, useNow } from '../../ui/Age.tsx';
import { Button } from '../../ui/Button.tsx';
import { firstLine } from '../../ui/first-line.ts';
import { escapeHidden } from '../../ui/hidden-characters.ts';
import { Menu } from '../../ui/Menu.tsx';
import { UntrustedBlock, UntrustedText } from '../../ui/UntrustedText.tsx';
import { useRepositories } from '../repositories/RepositoryField.tsx';
import { SessionLink } from '../sessions/SessionLink.tsx';
import { describeUse, LIMITS } from './budget-limits.ts';
import { formatDuration } from './durations.ts';
import { RunBar } from './RunBar.tsx';
import { archive, pause, resume, retryIntegration, start, unarchive, usePendingAction } from './run-actions.ts';
import { RUN_VIEWS, type RunView } from './run-views.ts';
import { StateLabel } from './StateIcon.tsx';
import { describePause, STATE_TONES } from './states.ts';

/** Objective, state, progress and actions of a run, and its views. */
export function RunHeader({ run, view }: { run: OrchestrationStatus; view: RunView }) {
  const objective = run.objective.trim();
  const title = firstLine(objective);
  return (
    <header className="flex shrink-0 flex-col border-b border-line">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 pt-3 max-md:px-3">
        <div className="flex min-w-0 flex-1 basis-70 items-center gap-2">
          <Link
            aria-label="All runs"
            className="-ml-1.5 grid size-7 shrink-0 place-items-center rounded-md text-lg text-quiet hover:bg-hover hover:text-text max-md:size-10"
            title="All runs"
            to="/runs"
          >
            ‹
          </Link>
          <h1 className="line-clamp-2 min-w-0 break-words text-lg font-semibold" title={escapeHidden(title)}>
            <UntrustedText text={title} />
          </h1>
        </div>
        <Actions run={run} />
      </div>
      {objective === title.trim() ? null : (
        <details className="px-4 max-md:px-3">
          <summary className="w-fit cursor-pointer rounded text-sm text-quiet hover:text-text max-md:py-3">
            Full objective
          </summary>
          <div className="max-h-[30vh] overflow-y-auto py-1">
            <UntrustedBlock text={objective} />
          </div>
        </details>
      )}
      <Facts run={run} />
      <Banner run={run} />
      <Views run={run} view={view} />
    </header>
  );
}

function Actions({ run }: { run: OrchestrationStatus }) {
  const { id, state, archivedAt } = run;
  const pending = usePendingAction((all) => all[id]);
  const busy = pending !== undefined;
  const size = 'max-md:h-10';
  const { keysOf, withKeys } = useKeyHints();
  if (isFinal(state)) {
    const isArchived = archivedAt !== null;
    return (
      <div className="flex flex-wrap items-center gap-2">
        {failedToIntegrate(run) ? (
          <Button
            busy={busy}
            className={size}
            onClick={() => retryIntegration(id)}
            title="Integrate the agents' branches again, after you have fixed the cause of the failure"
          >
            Retry integration
          </Button>
        ) : null}
        <Button
          busy={busy}
          className={size}
          onClick={() => (isArchived ? unarchive(id) : archive(id))}
          title={
            isArchived ? 'Show the run in the list of runs again' : 'Hide the run from the list of runs and the inbox'
          }
        >
          {isArchived ? 'Unarchive' : 'Archive'}
        </Button>
      </div>
    );
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      {busy ? <span className="text-sm text-quiet">{pending}…</span> : null}
      {state === 'created' ? (
        <Button
          busy={busy}
          className={size}
          kind="primary"
          onClick={() => start(id)}
          title={withKeys('Start', 'start-the-run')}
        >
          Start
        </Button>
      ) : null}
      {state === 'paused' ? (
        <Button
          busy={busy}
          className={size}
          kind="primary"
          onClick={() => resume(id)}
          title={withKeys('Resume', 'resume-the-run')}
        >
          Resume
        </Button>
      ) : null}
      {state === 'running' ? (
        <Menu
          groups={[
            [
              { label: 'Let running agents finish', hint: keysOf('pause-the-run'), run: () => pause(id, false) },
              {
                label: 'Interrupt running agents',
                hint: keysOf('pause-the-run-and-interrupt-its-agents'),
                run: () => pause(id, true),
              },
            ],
          ]}
          trigger={
            <Button busy={busy} className={size}>
              Pause ▾
            </Button>
          }
        />
      ) : null}
      <Button
        className={size}
        onClick={() => openDialog({ kind: 'addAgent', runId: id })}
        title={withKeys('Add an agent', 'add-an-agent')}
      >
        Add agent
      </Button>
      <Button
        className={size}
        kind="danger"
        onClick={() => openDialog({ kind: 'cancelRun', runId: id })}
        title={withKeys('Cancel the run', 'cancel-the-run')}
      >
        Cancel run
      </Button>
    </div>
  );
}

function Facts({ run }: { run: OrchestrationStatus }) {
  const { data: repositories } = useRepositories();
  const repository = repositories?.data.find(({ id }) => id === run.repositoryId);
  const { agentCount, completedAgents, failedAgents } = run;
  return (
    <dl className="flex flex-wrap items-center gap-x-5 gap-y-1 px-4 py-2 max-md:px-3">
      <Fact name="State">
        <StateLabel state={run.state} />
      </Fact>
      <Fact name="Progress">
        <span className="flex items-center gap-2">
          <RunBar className="w-32" run={run} />
          <span className="tabular-nums">{Math.round(run.progress * 100)} %</span>
          <span className="text-quiet tabular-nums">
            {completedAgents} of {pluralize(agentCount, 'agent')}
            {failedAgents === 0 ? null : <span className="text-failed">{` · ${failedAgents} failed`}</span>}
          </span>
        </span>
      </Fact>
      <Times run={run} />
      <Fact name="Strategy" shown>
        {run.strategy}
      </Fact>
      {run.definition === null ? null : (
        <Fact name="Definition" shown>
          <UntrustedText text={run.definition.name} />
        </Fact>
      )}
      {run.budget === null ? null : (
        <Fact name="Budget" shown>
          {describeBudget(run.budget, run.budgetUsed)}
        </Fact>
      )}
      {run.integration === null ? null : (
        <Fact name="Combined branch" shown>
          <UntrustedText className="font-mono text-sm" text={run.integration.into} />
        </Fact>
      )}
      {repository === undefined ? null : (
        <Fact name="Repository" shown>
          <Link className="hover:underline" params={{ repositoryId: repository.id }} to="/repositories/$repositoryId">
            <UntrustedText text={repository.name} />
          </Link>
        </Fact>
      )}
      <Fact name="Created" shown>
        <span className="flex items-baseline gap-1">
          <Age since={run.createdAt} /> <span>by</span>
          {run.createdBySessionId === null ? 'a person' : <SessionLink sessionId={run.createdBySessionId} />}
        </span>
      </Fact>
      {run.archivedAt === null ? null : (
        <Fact name="Archived" shown>
          <Age since={run.archivedAt} />
        </Fact>
      )}
    </dl>
  );
}

/**
 * A fact with its name. Without `shown`, the name is only for screen readers, because sighted users understand the
 * value without it.
 */
function Fact({ name, shown = false, children }: { name: string; shown?: boolean; children: ReactNode }) {
  return (
    <div className="flex min-w-0 items-center gap-1.5">
      <dt className={shown ? 'text-quiet' : 'sr-only'}>{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}

/** How long the run has taken, and when it is expected to end. */
function Times({ run: { startedAt, completedAt, estimatedCompletion } }: { run: OrchestrationStatus }) {
  const now = useNow();
  if (startedAt === null) return null;
  const elapsed = (completedAt === null ? now : Date.parse(completedAt)) - Date.parse(startedAt);
  return (
    <>
      <Fact name={completedAt === null ? 'Elapsed' : 'Took'} shown>
        <span className="tabular-nums">{formatDuration(elapsed)}</span>
      </Fact>
      {estimatedCompletion === null ? null : (
        <Fact name="Estimated end" shown>
          <time dateTime={estimatedCompletion} title={new Date(estimatedCompletion).toLocaleString()}>
            {`in about ${formatDuration(Date.parse(estimatedCompletion) - now)}`}
          </time>
        </Fact>
      )}
    </>
  );
}

function describeBudget(budget: Budget, used: BudgetUse): string {
  return LIMITS.flatMap((limit) => {
    const allowed = budget[limit];
    return allowed === undefined ? [] : describeUse(limit, used[limit] ?? 0, allowed);
  }).join(' · ');
}

/** Why the run is paused or has failed, and the files in which the branches of its agents conflict. */
function Banner({ run }: { run: OrchestrationStatus }) {
  const paused = describePause(run);
  const { integration, errorMessage } = run;
  const conflicts = [...new Set(integration?.conflicts.map(({ path }) => path) ?? [])];
  return (
    <div className="flex flex-col gap-1.5 px-4 pb-2 empty:hidden max-md:px-3">
      {paused === undefined ? null : (
        <p className={`rounded-md bg-needs-bg px-3 py-1.5 ${STATE_TONES.paused.text}`}>{paused}</p>
      )}
      {errorMessage === null ? null : (
        <div className={`rounded-md bg-failed-bg px-3 py-1.5 ${STATE_TONES.failed.text}`}>
          <UntrustedText text={errorMessage} />
        </div>
      )}
      {conflicts.length === 0 || integration === null ? null : (
        <div className="rounded-md bg-needs-bg px-3 py-1.5 text-needs">
          Not all branches could be combined into <UntrustedText className="font-mono" text={integration.into} />{' '}
          because of conflicts in <UntrustedText className="font-mono" text={conflicts.join(', ')} />
        </div>
      )}
    </div>
  );
}

const NAMES: Record<RunView, string> = { graph: 'Graph', table: 'Table', events: 'Events' };

function Views({ run, view }: { run: OrchestrationStatus; view: RunView }) {
  const { withKeys } = useKeyHints();
  return (
    <nav aria-label="Views" className="flex h-9 px-2 max-md:h-11">
      {RUN_VIEWS.map((each) => (
        <Link
          activeOptions={{ exact: true, includeSearch: true }}
          aria-current={each === view ? 'page' : undefined}
          className="flex h-full items-center border-b-2 border-transparent px-2.5 text-quiet hover:text-text aria-[current=page]:border-text aria-[current=page]:text-text"
          key={each}
          params={{ runId: run.id }}
          replace
          search={{ view: each }}
          title={withKeys(NAMES[each], `show-the-${each}`)}
          to="/runs/$runId"
        >
          {NAMES[each]}
        </Link>
      ))}
    </nav>
  );
}
