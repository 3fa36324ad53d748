import type { OrchestrationAgent, OrchestrationStatus } from '@agent-console/shared/models/orchestration';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useMemo, useRef } from 'react';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { PHONE, useMedia } from '../../ui/use-media.ts';
import { AgentMenu } from './AgentMenu.tsx';
import { AgentName } from './AgentName.tsx';
import { AgentTime, AgentTokens } from './AgentUsage.tsx';
import { StateIcon, StateLabel } from './StateIcon.tsx';
import { useAsks } from './use-asks.ts';
import { useCriticalPath } from './use-critical-path.ts';
import { describeAgent } from './waiting.ts';

/** Height of a row in CSS pixels. */
const ROW_PX = 37;
const ROW_PX_PHONE = 57;

const HEAD = 'sticky top-0 z-10 border-b border-line bg-bg px-2 py-1.5 text-left font-normal text-quiet first:pl-4';
/** Class of columns that are hidden on a phone. */
const WIDE = 'max-md:hidden';
const CELL = 'border-b border-line px-2 py-1 first:pl-4';

/** Agents of a run in creation order, one per row. Only the visible rows are rendered. */
export function AgentTable({ run }: { run: OrchestrationStatus }) {
  const { agents } = run;
  const scroller = useRef<HTMLDivElement>(null);
  const isPhone = useMedia(PHONE);
  const rowPx = isPhone ? ROW_PX_PHONE : ROW_PX;
  const virtualizer = useVirtualizer({
    count: agents.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    overscan: 12,
    useFlushSync: false,
  });
  const path = useCriticalPath(run);
  const notes = useMemo(() => agents.map((agent) => describeAgent(agent, run)), [agents, run]);
  if (agents.length === 0) return <EmptyState>This run has no agents yet.</EmptyState>;
  const rows = virtualizer.getVirtualItems();
  const before = rows[0]?.start ?? 0;
  const after = virtualizer.getTotalSize() - (rows.at(-1)?.end ?? 0);
  return (
    <section
      aria-label="Agents"
      className="min-h-0 flex-1 overflow-auto"
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard
      tabIndex={0}
    >
      <table
        aria-rowcount={agents.length + 1}
        className="w-full table-fixed md:min-w-180 border-separate border-spacing-0"
      >
        <colgroup>
          <col className="md:w-52" />
          <col className="w-32" />
          <col className="max-md:hidden" />
          <col className="w-24 max-md:w-18" />
          <col className="w-20 max-md:hidden" />
          <col className="w-20 max-md:hidden" />
          <col className="w-12" />
        </colgroup>
        <thead className="text-sm">
          <tr aria-rowindex={1}>
            {['Agent', 'State', 'Detail'].map((name) => (
              <th className={`${HEAD} ${name === 'Detail' ? WIDE : ''}`} key={name} scope="col">
                {name}
              </th>
            ))}
            {['Time', 'Tokens', 'Attempt'].map((name) => (
              <th className={`${HEAD} text-right ${name === 'Time' ? '' : WIDE}`} key={name} scope="col">
                {name}
              </th>
            ))}
            <th className={HEAD} scope="col">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          <Space height={before} />
          {rows.map(({ index }) => {
            const agent = agents[index];
            return agent === undefined ? null : (
              <Row
                agent={agent}
                isPhone={isPhone}
                index={index}
                isCritical={path.has(agent.agentId)}
                key={agent.agentId}
                note={notes[index] ?? ''}
                runId={run.id}
              />
            );
          })}
          <Space height={after} />
        </tbody>
      </table>
    </section>
  );
}

/** Spacer in place of the rows that are not rendered. */
function Space({ height }: { height: number }) {
  return height <= 0 ? null : (
    <tr>
      <td colSpan={7} style={{ height }} />
    </tr>
  );
}

/** State of an agent. If the agent asks a question, shows "asks" instead, like the graph. */
function AgentState({ agent: { sessionId, state } }: { agent: OrchestrationAgent }) {
  if (!useAsks(sessionId)) return <StateLabel state={state} />;
  return (
    <span className="inline-flex items-center gap-1.5 align-middle text-needs">
      <StateIcon state="interrupted" />
      asks
    </span>
  );
}

/** One agent. Memoised, because each change of a run renders the table again. */
const Row = memo(function Row(props: {
  runId: string;
  agent: OrchestrationAgent;
  note: string;
  index: number;
  isCritical: boolean;
  isPhone: boolean;
}) {
  const { runId, agent, note, index, isCritical, isPhone } = props;
  const tone = agent.state === 'failed' ? 'text-failed' : 'text-quiet';
  return (
    <tr
      aria-rowindex={index + 2}
      className="hover:bg-sunken"
      data-agent={agent.agentId}
      style={{ height: isPhone ? ROW_PX_PHONE : ROW_PX }}
    >
      <th className={`${CELL} text-left font-normal`} scope="row">
        <span className="flex items-baseline gap-1.5">
          <AgentName agent={agent} className="font-medium" />
          {isPhone || agent.agentId.startsWith(agent.role) ? null : (
            <UntrustedLine className="text-sm text-quiet" text={agent.role} />
          )}
          {isCritical ? (
            <span className="shrink-0 text-sm text-critical" title="On the critical path">
              ◆<span className="sr-only"> on the critical path</span>
            </span>
          ) : null}
        </span>
        {isPhone ? <UntrustedLine className={`text-sm ${tone}`} text={note} /> : null}
      </th>
      <td className={CELL}>
        <AgentState agent={agent} />
      </td>
      <td className={`${CELL} ${WIDE}`} title={note}>
        {isPhone ? null : <UntrustedLine className={tone} text={note} />}
      </td>
      <td className={`${CELL} text-right tabular-nums`}>
        <AgentTime agent={agent} />
      </td>
      <td className={`${CELL} ${WIDE} text-right tabular-nums`}>
        <AgentTokens usage={agent.usage} />
      </td>
      <td className={`${CELL} ${WIDE} text-right tabular-nums text-quiet`}>
        {agent.attempt === 0 ? '' : `${agent.attempt} of ${agent.maxAttempts}`}
      </td>
      <td className={CELL}>
        <AgentMenu agent={agent} runId={runId} />
      </td>
    </tr>
  );
});
