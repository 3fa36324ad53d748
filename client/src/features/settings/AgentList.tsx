import type { Agent } from '@agent-console/shared/models/agent';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { modeName } from '../sessions/inspector/permission-modes.ts';
import { AgentCheckResult } from './AgentCheckResult.tsx';
import { AgentRemedy, unavailableReason, useAgents } from './AgentField.tsx';

const AgentDialog = lazy(() => import('./AgentDialog.tsx'));

/** Built-in and custom agents. Those that can be used come first. */
export function AgentList() {
  const { data, error, isPending, isFetching, refetch } = useAgents();
  const [edited, setEdited] = useState<Agent | 'new'>();
  const agents = data?.data.toSorted(byUse) ?? [];
  const groups = [
    { name: 'Installed', members: agents.filter(({ installed }) => installed) },
    { name: 'Not installed', members: agents.filter(({ installed }) => !installed) },
  ].filter(({ members }) => members.length > 0);
  return (
    <>
      <div className="flex flex-wrap items-center justify-end gap-2">
        <span className="min-w-0 flex-1 text-quiet" role="status">
          {data === undefined ? '' : summaryOf(agents)}
        </span>
        <Button busy={isFetching} onClick={() => void refetch()}>
          Refresh
        </Button>
        <Button kind="primary" onClick={() => setEdited('new')}>
          Add agent
        </Button>
      </div>
      <Problem error={error} />
      {isPending ? <Skeleton /> : null}
      {groups.map(({ name, members }) => (
        <section aria-label={name} className="flex flex-col gap-2" key={name}>
          <h2 className="font-semibold">{name}</h2>
          <ul className="divide-y divide-line rounded-lg border border-line">
            {members.map((agent) => (
              <AgentRow agent={agent} key={agent.id} onEdit={() => setEdited(agent)} />
            ))}
          </ul>
        </section>
      ))}
      <Suspense>
        {edited === undefined ? null : (
          <AgentDialog onClose={() => setEdited(undefined)} {...(edited === 'new' ? {} : { agent: edited })} />
        )}
      </Suspense>
    </>
  );
}

/** Comparison for sorting: logged-in agents first. */
function byUse(a: Agent, b: Agent): number {
  return Number(b.loggedIn === 'yes') - Number(a.loggedIn === 'yes');
}

function summaryOf(agents: readonly Agent[]): string {
  const installed = agents.filter((agent) => agent.installed).length;
  const loggedOut = agents.filter((agent) => agent.installed && agent.loggedIn === 'no').length;
  return `${installed} of ${agents.length} installed${loggedOut === 0 ? '' : `, ${loggedOut} not logged in`}`;
}

/** An agent definition with its availability, permission modes and check result. */
function AgentRow({ agent, onEdit }: { agent: Agent; onEdit(): void }) {
  const { id, name, command, builtIn, installed, note } = agent;
  const remove = useOperationMutation('agents.remove');
  const check = useOperationMutation('agents.check');
  const { data: result, variables: input, mutate: retry } = check;
  // If the check is slow, the operation returns a partial result. Calling it again waits for the complete result.
  const isIncomplete = result?.complete === false;
  const canPrompt = agent.supports.oneShot && input?.deep !== true;
  useEffect(() => {
    if (isIncomplete && input !== undefined) retry(input);
  }, [isIncomplete, input, retry]);
  return (
    <li className="flex flex-col gap-2 px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-60 max-md:basis-full">
          <div className="flex flex-wrap items-baseline gap-x-2">
            <UntrustedLine className="font-medium" text={name} />
            <span className="font-mono text-sm text-quiet">{id}</span>
          </div>
          <div className="flex min-w-0 flex-wrap gap-x-1.5 text-sm text-quiet">
            <InstallState agent={agent} />
            {command.length === 0 || (builtIn && !installed) ? null : (
              <span className="flex min-w-0 gap-x-1.5">
                <span aria-hidden>·</span>
                <UntrustedLine className="font-mono" text={command.join(' ')} />
              </span>
            )}
          </div>
        </div>
        <div className="flex flex-wrap gap-1.5">
          {installed ? (
            <Button
              aria-label={`Check ${name}`}
              busy={check.isPending}
              onClick={() => check.mutate({ id })}
              title="Start the agent briefly in an empty repository to see what works"
            >
              Check
            </Button>
          ) : null}
          {builtIn ? null : (
            <>
              <Button onClick={onEdit}>Edit</Button>
              <ConfirmButton
                busy={remove.isPending}
                confirm="Remove agent"
                label="Remove…"
                onConfirm={() => remove.mutate({ id })}
              />
            </>
          )}
        </div>
      </div>
      <AgentRemedy agent={agent} />
      {note === null || !installed ? null : <p className="text-sm text-quiet">{note}</p>}
      {installed ? <Modes agent={agent} /> : null}
      <Problem error={remove.error ?? check.error} />
      <AgentCheckResult
        busy={check.isPending || isIncomplete}
        result={result}
        name={name}
        onPrompt={canPrompt ? () => check.mutate({ id, deep: true }) : undefined}
      />
    </li>
  );
}

function InstallState({ agent: { installed, builtIn, command, version, loggedIn, kind } }: { agent: Agent }) {
  // A built-in agent that is not installed is not highlighted, because most people need only some of the built-in
  // agents.
  if (!installed) return <span className={builtIn ? '' : 'text-needs'}>{unavailableReason(command)}</span>;
  const hasLogin = kind !== 'scripted' && kind !== 'scripted-acp';
  return (
    <span>
      {version ?? (command.length === 0 ? 'built in' : 'installed')}
      {!hasLogin || loggedIn === 'unknown' ? null : ' · '}
      {hasLogin && loggedIn === 'yes' ? 'logged in' : null}
      {hasLogin && loggedIn === 'no' ? <span className="text-needs">not logged in</span> : null}
    </span>
  );
}

/**
 * List of the permission modes that a session can request. If the agent uses another mode instead, the list names it.
 */
function Modes({ agent: { modes, defaultMode } }: { agent: Agent }) {
  const other = modes.filter(({ requested, effective, note }) => requested !== effective || note !== null);
  return (
    <details className="text-sm text-quiet">
      <summary className="cursor-pointer max-md:py-3">
        Default permission mode: {modeName(defaultMode)}
        {other.length === 0
          ? ''
          : ` · ${other.length} of ${modes.length} permission modes work differently with this agent`}
      </summary>
      <ul className="grid gap-x-3 pt-1 md:grid-cols-[auto_1fr]">
        {modes.map(({ requested, effective, note }) => (
          <li className="contents" key={requested}>
            <span>{modeName(requested)}</span>
            <span className="max-md:pl-4">
              {requested === effective ? null : <span>→ {modeName(effective)}. </span>}
              {note ?? (requested === effective ? 'supported' : '')}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
