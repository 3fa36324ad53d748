import type { OrchestrationAgent, OrchestrationStatus } from '@agent-console/shared/models/orchestration';
import type { ReactNode } from 'react';
import { useOperationQuery } from '../../api/operations.ts';
import type { DialogBodyProps } from '../../shell/dialogs.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, MainButton } from '../../ui/Dialog.tsx';
import { escapeHidden } from '../../ui/hidden-characters.ts';
import { UntrustedBlock, UntrustedText } from '../../ui/UntrustedText.tsx';
import { modeName } from '../sessions/inspector/permission-modes.ts';
import { useOpenSession } from '../sessions/page/session-views.ts';
import { AgentTime, AgentTokens } from './AgentUsage.tsx';
import { retryAgent } from './run-actions.ts';
import { StateLabel } from './StateIcon.tsx';
import { canRetry, describeReason } from './states.ts';
import { blockersOf } from './waiting.ts';

/** Task, state and result of one agent of a run. */
export default function AgentDialog({ request, onClose }: DialogBodyProps<'agentOfRun'>) {
  const { runId, agentId } = request;
  const openSession = useOpenSession();
  const { data: run } = useOperationQuery('orchestrations.get', { orchestrationId: runId });
  const agent = run?.agents.find((each) => each.agentId === agentId);
  if (run === undefined || agent === undefined) return null;
  const { sessionId } = agent;
  return (
    <Dialog
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          {canRetry(agent.state) ? <Button onClick={() => retryAgent(runId, agentId)}>Retry</Button> : null}
          {sessionId === null ? null : <MainButton onClick={() => openSession(sessionId)}>Open session</MainButton>}
        </>
      }
      closesOutside
      onClose={onClose}
      title={escapeHidden(agentId)}
      width="wide"
    >
      <Details agent={agent} run={run} />
    </Dialog>
  );
}

function Details({ agent, run }: { agent: OrchestrationAgent; run: OrchestrationStatus }) {
  const blockers = blockersOf(agent, run);
  const facts: [string, ReactNode][] = [
    ['State', <StateLabel key="state" state={agent.state} />],
    ['Role', <UntrustedText key="role" text={agent.role} />],
    ['Waits for', blockers.length === 0 ? null : <UntrustedText key="waits" text={blockers.join(', ')} />],
    ['Reason', agent.reason === null ? null : <UntrustedText key="reason" text={describeReason(agent.reason)} />],
    ['Runs after', agent.dependencies.length === 0 ? null : agent.dependencies.join(', ')],
    ['Stage', run.strategy === 'pipeline' ? agent.stage + 1 : null],
    ['Agent', agent.agenticTool],
    ['Permission', agent.permissionMode === null ? null : modeName(agent.permissionMode)],
    ['Branch', agent.branch === null ? null : <UntrustedText className="font-mono" key="branch" text={agent.branch} />],
    ['Time', agent.startedAt === null ? null : <AgentTime agent={agent} key="time" />],
    ['Tokens', agent.usage === null ? null : <AgentTokens key="tokens" usage={agent.usage} />],
    ['Attempts', `${agent.attempt} of ${agent.maxAttempts}`],
    ['If it fails', agent.allowFailure ? 'agents that depend on it run nevertheless' : null],
    ['Exit code', agent.exitCode],
  ];
  return (
    <div className="flex flex-col gap-4">
      <dl className="grid grid-cols-[6rem_minmax(0,1fr)] gap-x-3 gap-y-1">
        {facts
          .filter(([, value]) => value !== null)
          .map(([name, value]) => (
            <div className="contents" key={name}>
              <dt className="text-quiet">{name}</dt>
              <dd className="min-w-0 break-words">{value}</dd>
            </div>
          ))}
      </dl>
      <Text text={agent.errorMessage} title="Error" tone="text-failed" />
      <Text text={agent.status} title="Last status" />
      <Text text={agent.summary} title="Result" />
      {agent.artifacts.length === 0 ? null : <Text text={agent.artifacts.join('\n')} title="Artifacts" />}
      <Text text={agent.task} title="Task" />
    </div>
  );
}

function Text({ title, text, tone = '' }: { title: string; text: string | null; tone?: string }) {
  if (text === null || text.trim() === '') return null;
  return (
    <section>
      <h3 className="text-sm font-semibold text-quiet">{title}</h3>
      <UntrustedBlock className={tone} text={text} />
    </section>
  );
}
