import { EXAMPLE_PROMPT } from '@agent-console/shared/example-task';
import type { Agent } from '@agent-console/shared/models/agent';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { openDialog } from '../../shell/dialogs.ts';
import { useKeysOf } from '../../shell/use-keys.ts';
import { Button } from '../../ui/Button.tsx';
import { Kbd } from '../../ui/Kbd.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { useRepositories } from '../repositories/RepositoryField.tsx';
import { AgentRemedy, useAgents } from '../settings/AgentField.tsx';
import { useOpenSession } from './page/session-views.ts';

/**
 * First steps, shown while there are no sessions: the repositories and agents that were found, and what remains to be
 * done.
 */
export default function Onboarding() {
  const repositories = useRepositories();
  const agents = useAgents();
  if (repositories.data === undefined || agents.data === undefined) {
    return <Problem error={repositories.error ?? agents.error} />;
  }
  const repository = repositories.data.data[0];
  const real = agents.data.data.filter(({ kind }) => !kind.startsWith('scripted'));
  const installed = real.filter((agent) => agent.installed);
  const ready = installed.filter(({ loggedIn }) => loggedIn !== 'no');
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex min-h-full max-w-170 flex-col justify-center gap-4 p-4 md:p-8">
        <header>
          <h2 className="text-lg font-semibold">Get started</h2>
          <p className="text-quiet">Agents work side by side, each in a worktree of your repository.</p>
        </header>
        <ol className="divide-y divide-line rounded-lg border border-line">
          <Step
            done={repository !== undefined}
            number={1}
            title={repository === undefined ? 'Add a repository' : 'Repository found'}
          >
            {repository === undefined ? (
              <Button kind="primary" onClick={() => openDialog({ kind: 'addRepository' })}>
                Add repository
              </Button>
            ) : (
              <Repositories repositories={repositories.data.data} />
            )}
          </Step>
          <Step
            done={ready.length > 0}
            number={2}
            title={
              installed.length === 0 ? 'Install an agent' : ready.length > 0 ? 'Agents found' : 'Log in to an agent'
            }
          >
            <Agents
              agents={
                installed.length > 0 ? installed : real.filter(({ driver, builtIn }) => builtIn && driver === 'pty')
              }
              busy={agents.isFetching}
              onRefresh={() => void agents.refetch()}
            />
          </Step>
          <Step done={false} number={3} title="Start the first task">
            <FirstTask hasAgent={ready.length > 0} repositoryId={repository?.id} />
          </Step>
        </ol>
      </div>
    </div>
  );
}

function Step(props: { number: number; title: string; done: boolean; children: ReactNode }) {
  const { number, title, done, children } = props;
  return (
    <li className="flex gap-3 px-4 py-3">
      <span
        aria-hidden="true"
        className={`mt-0.5 grid size-5 shrink-0 place-items-center rounded-full border text-sm ${done ? 'border-added text-added' : 'border-line-strong text-quiet'}`}
      >
        {done ? '✓' : number}
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <h3 className="font-medium">
          {title}
          {done ? <span className="sr-only">, done</span> : null}
        </h3>
        {children}
      </div>
    </li>
  );
}

function Repositories({ repositories }: { repositories: readonly { id: string; name: string; path: string }[] }) {
  const [first] = repositories;
  if (first === undefined) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <div className="min-w-0 flex-1">
        <Link
          className="flex min-w-0 hover:underline"
          params={{ repositoryId: first.id }}
          to="/repositories/$repositoryId"
        >
          <UntrustedLine text={first.name} />
        </Link>
        <UntrustedLine className="font-mono text-sm text-quiet" text={first.path} />
        {repositories.length > 1 ? <p className="text-sm text-quiet">{`and ${repositories.length - 1} more`}</p> : null}
      </div>
      <Button onClick={() => openDialog({ kind: 'addRepository' })}>Add another repository</Button>
    </div>
  );
}

function Agents({ agents, busy, onRefresh }: { agents: readonly Agent[]; busy: boolean; onRefresh(): void }) {
  return (
    <>
      <ul className="flex flex-col gap-2">
        {agents.map((agent) => (
          <li className="flex flex-col gap-0.5" key={agent.id}>
            <span className="flex flex-wrap items-baseline gap-x-2">
              <UntrustedLine text={agent.name} />
              <span className={`text-sm ${agent.installed && agent.loggedIn === 'no' ? 'text-needs' : 'text-quiet'}`}>
                {stateOf(agent)}
              </span>
            </span>
            <AgentRemedy agent={agent} />
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Button busy={busy} onClick={onRefresh}>
          Refresh
        </Button>
        <Link className="text-accent hover:underline" params={{ section: 'agents' }} to="/settings/$section">
          Check or add agents
        </Link>
      </div>
    </>
  );
}

function stateOf({ installed, version, loggedIn }: Agent): string {
  if (!installed) return 'not installed';
  const login = { yes: ' · logged in', no: ' · not logged in', unknown: '' }[loggedIn];
  return `${version ?? 'installed'}${login}`;
}

function FirstTask({ repositoryId, hasAgent }: { repositoryId: string | undefined; hasAgent: boolean }) {
  const openSession = useOpenSession();
  const [path] = useState(() => location.pathname);
  const show = ({ sessionId }: { sessionId: string }) => openSession(sessionId);
  const example = useOperationMutation('delegations.create', {
    onSuccess: show,
    // The new session removes the checklist from the page. If this happens before the response arrives, this handler is
    // called instead of `onSuccess`.
    onLateSuccess: (made) => location.pathname === path && show(made),
  });
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <DelegateButton disabled={repositoryId === undefined} kind={hasAgent ? 'primary' : 'normal'} />
        <Button
          busy={example.isPending}
          className="max-md:h-11"
          disabled={repositoryId === undefined}
          kind={hasAgent ? 'normal' : 'primary'}
          onClick={() =>
            example.mutate({
              repositoryId: repositoryId ?? '',
              agentId: 'scripted',
              title: 'Example: say hello',
              prompt: EXAMPLE_PROMPT,
            })
          }
        >
          Run an example
        </Button>
      </div>
      <p className="text-sm text-quiet">
        The example needs no account: a scripted agent commits a file in a worktree of its own. Nothing else changes.
      </p>
      <Problem error={example.error} />
    </>
  );
}

/** Button that delegates work, with its shortcut. */
function DelegateButton({ disabled, kind }: { disabled: boolean; kind: 'primary' | 'normal' }) {
  const keys = useKeysOf()('delegate-work');
  return (
    <Button className="max-md:h-11" disabled={disabled} kind={kind} onClick={() => openDialog({ kind: 'delegate' })}>
      Delegate work
      <span aria-hidden="true" className="max-md:hidden">
        <Kbd>{keys}</Kbd>
      </span>
    </Button>
  );
}
