import type { OrchestrationAgent } from '@agent-console/shared/models/orchestration';
import { Link } from '@tanstack/react-router';
import { type Node, type NodeProps, useStore } from '@xyflow/react';
import { memo, type ReactNode } from 'react';
import { openDialog } from '../../../shell/dialogs.ts';
import { escapeHidden } from '../../../ui/hidden-characters.ts';
import { UntrustedLine } from '../../../ui/UntrustedText.tsx';
import { AgentMenu } from '../AgentMenu.tsx';
import { AgentTime, AgentTokens } from '../AgentUsage.tsx';
import { StateIcon } from '../StateIcon.tsx';
import { STATE_TONES, stateWord } from '../states.ts';
import { useAsks } from '../use-asks.ts';
import { NODE } from './layout.ts';

/** Zoom below which nodes show only state and name, because other text would be too small to read. */
const DETAILED_ZOOM = 0.55;

export type AgentFlowNode = Node<
  {
    runId: string;
    agent: OrchestrationAgent;
    note: string;
    isCritical: boolean;
    /**
     * Whether the pointer or the focus is on the node. Its menu is rendered only then, because rendering 200 menus is
     * slow.
     */
    isPointed: boolean;
  },
  'agent'
>;

export const AgentNode = memo(function AgentNode({ data }: NodeProps<AgentFlowNode>) {
  const { runId, agent, note, isCritical, isPointed } = data;
  const { agentId, state, sessionId } = agent;
  const isDetailed = useStore(({ transform }) => transform[2] >= DETAILED_ZOOM);
  const asks = useAsks(sessionId);
  const word = asks ? 'asks' : stateWord(state);
  const tone = STATE_TONES[asks ? 'paused' : state];
  const isOver = state === 'cancelled' || state === 'skipped';
  const label = `${escapeHidden(agentId)}, ${escapeHidden(agent.role)}, ${word}${note === '' ? '' : `, ${escapeHidden(note)}`}${isCritical ? ', on the critical path' : ''}`;
  return (
    <div
      className={`relative overflow-hidden rounded-lg bg-bg ${isCritical ? 'border-2 border-critical' : `border ${tone.border}`} ${isOver || state === 'pending' ? 'border-dashed' : ''}`}
      data-agent={agentId}
      data-state={state}
      style={{ width: NODE.width, height: NODE.height }}
    >
      <Target agent={agent} isNamedByText={isDetailed} label={label} runId={runId}>
        {isDetailed ? (
          <>
            <span className="flex items-center gap-1.5 pr-6">
              <StateIcon state={asks ? 'interrupted' : state} />
              <UntrustedLine className={`font-semibold ${isOver ? 'text-quiet' : ''}`} text={agentId} />
              <span className="sr-only">{isCritical ? ', on the critical path, ' : ', '}</span>
            </span>
            <span className="flex items-center gap-1.5 text-sm text-quiet">
              <span className={`shrink-0 ${tone.text}`}>{word}</span>
              {agentId.startsWith(agent.role) ? null : <UntrustedLine text={`· ${agent.role}`} />}
              {agent.attempt > 1 ? <span className="shrink-0">{`· attempt ${agent.attempt}`}</span> : null}
              <span className="ml-auto shrink-0 tabular-nums text-text">
                <AgentTime agent={agent} />
              </span>
            </span>
            <span className="flex items-center gap-1.5 text-sm text-quiet">
              <UntrustedLine className={state === 'failed' ? 'text-failed' : ''} text={note} />
              <span className="ml-auto shrink-0 tabular-nums">
                <AgentTokens suffix=" tok" usage={agent.usage} />
              </span>
            </span>
          </>
        ) : (
          <span className="flex flex-1 items-center gap-3 text-[27px] leading-9">
            <span className="scale-200 pl-1 pr-1.5">
              <StateIcon state={asks ? 'interrupted' : state} />
            </span>
            <UntrustedLine className="font-semibold" text={agentId} />
          </span>
        )}
      </Target>
      {isDetailed && isPointed ? (
        <AgentMenu agent={agent} className="absolute right-1 top-1 size-6 bg-bg" runId={runId} />
      ) : null}
      {state === 'running' && agent.progress !== null ? (
        <span
          className="absolute bottom-0 left-0 h-0.75 bg-accent"
          style={{ width: `${Math.round(agent.progress * 100)}%` }}
        />
      ) : null}
    </div>
  );
});

const BODY = 'flex h-full w-full flex-col justify-center gap-0.5 rounded-lg px-2.5 text-left hover:bg-hover';

/** Link to the agent's session. Before the agent has a session, a button that opens the agent's details. */
function Target(props: {
  agent: OrchestrationAgent;
  runId: string;
  label: string;
  /**
   * Whether the visible text is complete, so that screen readers can read it as the name of the node. Otherwise, they
   * read `label`.
   */
  isNamedByText: boolean;
  children: ReactNode;
}) {
  const { agent, runId, label, isNamedByText, children } = props;
  const name = isNamedByText ? undefined : label;
  const { agentId, sessionId } = agent;
  if (sessionId === null) {
    return (
      <button
        aria-label={name}
        className={BODY}
        onClick={() => openDialog({ kind: 'agentOfRun', runId, agentId })}
        title={label}
        type="button"
      >
        {children}
      </button>
    );
  }
  return (
    <Link
      aria-label={name}
      className={BODY}
      draggable={false}
      params={{ sessionId }}
      title={label}
      to="/sessions/$sessionId"
    >
      {children}
    </Link>
  );
}
