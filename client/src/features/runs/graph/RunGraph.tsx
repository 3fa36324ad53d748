import { isFinal } from '@agent-console/shared/models/orchestration';
import '@xyflow/react/dist/base.css';
import './graph.css';
import type { OrchestrationStatus } from '@agent-console/shared/models/orchestration';
import {
  MiniMap,
  Panel,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
  useStoreApi,
  ViewportPortal,
} from '@xyflow/react';
import { type FocusEvent, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { useCriticalPath } from '../use-critical-path.ts';
import { describeAgent } from '../waiting.ts';
import { type AgentFlowNode, AgentNode } from './AgentNode.tsx';
import { type Curve, firstView, type Layout, layOut, NODE } from './layout.ts';

const NODE_TYPES = { agent: AgentNode };
const ZOOM = { min: 0.08, max: 1.5 };
const FIT = { padding: 0.05, maxZoom: 1, minZoom: ZOOM.min };
/** Number of agents above which the graph has a minimap. */
const MAP_FROM = 24;
const ARROW_PX = 24;
/** Number of links above which none is dashed, because browsers draw dashes slowly. */
const DASHED_LINKS_MAX = 150;

/** Graph of a run: stages from left to right, with pan and zoom. */
export default function RunGraph({ run }: { run: OrchestrationStatus }) {
  if (run.agents.length === 0) return <EmptyState>This run has no agents yet.</EmptyState>;
  return (
    <ReactFlowProvider>
      <SizedGraph run={run} />
    </ReactFlowProvider>
  );
}

/**
 * Measures the canvas before the graph is rendered, because the first view of the graph depends on the size of the
 * canvas.
 */
function SizedGraph({ run }: { run: OrchestrationStatus }) {
  const box = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState<{ width: number; height: number }>();
  useLayoutEffect(() => {
    const { current } = box;
    if (current !== null) setSize({ width: current.clientWidth, height: current.clientHeight });
  }, []);
  return (
    <div className="h-full" ref={box}>
      {size === undefined ? null : <Graph key={run.id} run={run} size={size} />}
    </div>
  );
}

/**
 * Returns a key that changes if the graph has to be laid out again. A changed state of an agent does not change the
 * key.
 */
function planKey({ strategy, agents }: OrchestrationStatus): string {
  return JSON.stringify([strategy, agents.map(({ agentId, dependencies, stage }) => [agentId, dependencies, stage])]);
}

function Graph({ run, size }: { run: OrchestrationStatus; size: { width: number; height: number } }) {
  const { agents } = run;
  const key = planKey(run);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key contains all that the layout depends on
  const layout = useMemo(() => layOut(run.strategy, agents), [key]);
  const critical = useCriticalPath(run);
  // Two states, because a focused node must keep its menu while the pointer enters and leaves other nodes.
  const [hovered, setHovered] = useState<string>();
  const [focused, setFocused] = useState<string>();
  const related = useMemo(() => relatedTo(hovered ?? focused, layout.curves), [hovered, focused, layout]);
  const nodes = useNodes(run, layout, critical, { hovered, focused });
  const hover = useCallback((_: unknown, node: AgentFlowNode) => setHovered(node.id), []);
  const unhover = useCallback(() => setHovered(undefined), []);
  const focusedElement = useRef<Element>(null);
  // Ignores popups, which are outside the page's root element: a node must keep its menu while the menu is open.
  const followFocus = (element: Element) => {
    if (element.closest('#root') === null) return;
    focusedElement.current = element;
    setFocused(element.closest<HTMLElement>('[data-agent]')?.dataset.agent);
  };
  const followBlur = ({ target, relatedTarget }: FocusEvent) => {
    if (relatedTarget !== null) followFocus(relatedTarget);
    // If only the window loses the focus, the element keeps it for when the user comes back.
    else if (target !== document.activeElement && target.closest('#root')) setFocused(undefined);
  };
  const store = useStoreApi();
  // React replaces the focused element without a blur event if the agent gets a session.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed agent may have another element
  useEffect(() => {
    if (focused === undefined || focusedElement.current?.isConnected !== false) return;
    const element = store
      .getState()
      .domNode?.querySelector<HTMLElement>(`[data-agent="${CSS.escape(focused)}"] :is(a, button)`);
    if (element) element.focus({ preventScroll: true });
    else setFocused(undefined);
  }, [agents, focused, store]);
  // With `data-moving`, the browser moves the rendered graph without repainting it in each frame. After the move, the
  // browser repaints the graph, so that it is sharp at the new zoom.
  const mark = (isMoving: boolean) => store.getState().domNode?.toggleAttribute('data-moving', isMoving);
  return (
    <ReactFlow
      aria-label="Graph of the agents"
      deleteKeyCode={null}
      edgesFocusable={false}
      elementsSelectable={false}
      defaultViewport={firstView(layout, size)}
      maxZoom={ZOOM.max}
      minZoom={ZOOM.min}
      nodes={nodes}
      nodesConnectable={false}
      nodesDraggable={false}
      nodesFocusable={false}
      nodeTypes={NODE_TYPES}
      onBlur={followBlur}
      onFocus={({ target }) => followFocus(target)}
      onlyRenderVisibleElements
      onMove={() => mark(true)}
      onMoveEnd={() => mark(false)}
      onNodeMouseEnter={hover}
      onNodeMouseLeave={unhover}
      panOnScroll
      proOptions={{ hideAttribution: true }}
      zoomOnDoubleClick={false}
    >
      <ViewportPortal>
        <Stages layout={layout} run={run} />
        <Links critical={critical} curves={layout.curves} related={related} run={run} />
      </ViewportPortal>
      {agents.length > MAP_FROM ? (
        <MiniMap<AgentFlowNode>
          ariaLabel="Map of the graph"
          className="run-map max-md:hidden"
          nodeClassName={({ data }) => `run-map-${data.agent.state}`}
          pannable
          zoomable
        />
      ) : null}
      <Controls hasCriticalPath={critical.size > 0} />
    </ReactFlow>
  );
}

/**
 * Returns the nodes of the graph. A node stays the same object until its data or its position changes, so that only
 * changed nodes are rendered.
 */
function useNodes(
  run: OrchestrationStatus,
  layout: Layout,
  critical: ReadonlySet<string>,
  { hovered, focused }: { hovered: string | undefined; focused: string | undefined },
): AgentFlowNode[] {
  const [known] = useState(() => new Map<string, AgentFlowNode>());
  return useMemo(
    () =>
      run.agents.map((agent) => {
        const { agentId } = agent;
        const position = layout.positions.get(agentId) ?? { x: 0, y: 0 };
        const data = {
          runId: run.id,
          agent,
          note: describeAgent(agent, run),
          isCritical: critical.has(agentId),
          isPointed: agentId === hovered || agentId === focused,
        };
        const before = known.get(agentId);
        if (before !== undefined && before.position === position && isSame(before.data, data)) return before;
        const node: AgentFlowNode = { id: agentId, type: 'agent', position, data, ...NODE };
        known.set(agentId, node);
        return node;
      }),
    [run, layout, critical, hovered, focused, known],
  );
}

function isSame<T extends object>(a: T, b: T): boolean {
  return Object.keys(a).every((key) => a[key as keyof T] === b[key as keyof T]);
}

/**
 * Returns the agent that has the pointer or the focus, and all its direct and indirect predecessors and successors;
 * undefined if no agent has them.
 */
function relatedTo(pointed: string | undefined, curves: readonly Curve[]): ReadonlySet<string> | undefined {
  if (pointed === undefined || curves.length === 0) return undefined;
  const found = new Set([pointed]);
  for (const [of, other] of [
    ['from', 'to'],
    ['to', 'from'],
  ] as const) {
    const beside = new Map<string, string[]>();
    for (const each of curves) beside.set(each[of], [...(beside.get(each[of]) ?? []), each[other]]);
    const queue = [pointed];
    const seen = new Set(queue);
    for (const id of queue) {
      for (const next of beside.get(id) ?? []) {
        if (seen.has(next)) continue;
        seen.add(next);
        queue.push(next);
      }
    }
    for (const id of seen) found.add(id);
  }
  return found;
}

/** Boxes around the agents of each stage. Each box shows how many agents of its stage have ended. */
function Stages({ layout, run }: { layout: Layout; run: OrchestrationStatus }) {
  const states = new Map(run.agents.map(({ agentId, state }) => [agentId, state]));
  if (layout.stages.length < 2) return null;
  return layout.stages.map(({ index, x, y, width, height, agentIds }) => {
    const ended = agentIds.filter((id) => isFinal(states.get(id) ?? 'pending')).length;
    return (
      <div
        className="absolute -z-2 rounded-xl bg-sunken px-4 pt-2 text-quiet"
        key={index}
        style={{ width, height, transform: `translate(${x}px,${y}px)` }}
      >
        <span className="flex justify-between gap-3">
          <span className="font-semibold">{`Stage ${index + 1}`}</span>
          <span className="tabular-nums">
            {ended} of {agentIds.length}
          </span>
        </span>
      </div>
    );
  });
}

/**
 * Style of a link between two agents. While the pointer or the focus is on an agent, each link is `related` to that
 * agent or `faded`.
 */
type LinkKind = 'faded' | 'open' | 'done' | 'critical' | 'related';

/** All links, combined into one path per style, because thousands of elements would make panning slow. */
function Links(props: {
  curves: readonly Curve[];
  run: OrchestrationStatus;
  critical: ReadonlySet<string>;
  related: ReadonlySet<string> | undefined;
}) {
  const { curves, run, critical, related } = props;
  const paths = useMemo(() => {
    const states = new Map(run.agents.map(({ agentId, state }) => [agentId, state]));
    const kinds: Record<LinkKind, string[]> = {
      faded: [],
      open: [],
      done: [],
      critical: [],
      related: [],
    };
    const order = [...critical];
    const steps = new Set(order.map((id, index) => `${order[index - 1]} ${id}`));
    for (const { from, to, path } of curves) {
      if (related !== undefined) kinds[related.has(from) && related.has(to) ? 'related' : 'faded'].push(path);
      else if (steps.has(`${from} ${to}`)) kinds.critical.push(path);
      else kinds[isFinal(states.get(from) ?? 'pending') ? 'done' : 'open'].push(path);
    }
    return kinds;
  }, [curves, run, critical, related]);
  return (
    <svg
      aria-hidden="true"
      className="pointer-events-none absolute left-0 top-0 -z-1 overflow-visible"
      fill="none"
      height="1"
      width="1"
    >
      <path className="stroke-line" d={paths.faded.join('')} strokeWidth="1" />
      <path
        className="stroke-line-strong"
        d={paths.open.join('')}
        strokeDasharray={curves.length > DASHED_LINKS_MAX ? 'none' : '4 4'}
        strokeWidth="1.25"
      />
      <path className="stroke-line-strong" d={paths.done.join('')} strokeWidth="1.5" />
      <path className="stroke-critical" d={paths.critical.join('')} strokeWidth="2.5" />
      <path className="stroke-accent" d={paths.related.join('')} strokeWidth="2" />
    </svg>
  );
}

const CONTROL =
  'grid h-7 min-w-7 place-items-center border-line px-1.5 hover:bg-hover not-first:border-l max-md:h-10 max-md:min-w-10';

/** Buttons for the zoom, and a legend for the critical path. */
function Controls({ hasCriticalPath }: { hasCriticalPath: boolean }) {
  const { zoomIn, zoomOut, fitView, getViewport, setViewport } = useReactFlow();
  const percent = useStore(({ transform }) => Math.round(transform[2] * 100));
  const pan = (x: number, y: number) => {
    const viewport = getViewport();
    void setViewport({ ...viewport, x: viewport.x + x * ARROW_PX, y: viewport.y + y * ARROW_PX });
  };
  return (
    <Panel className="m-3! flex items-center gap-3 text-sm" position="bottom-left">
      <div
        className="flex overflow-hidden rounded-md border border-line bg-bg"
        onKeyDown={(event) => {
          const step = { ArrowLeft: [2, 0], ArrowRight: [-2, 0], ArrowUp: [0, 2], ArrowDown: [0, -2] }[event.key];
          if (step === undefined) return;
          event.preventDefault();
          pan(step[0] ?? 0, step[1] ?? 0);
        }}
        role="toolbar"
        aria-label="Graph controls"
      >
        <button aria-label="Zoom out" className={CONTROL} onClick={() => void zoomOut()} type="button">
          −
        </button>
        <span className="grid w-11 place-items-center border-l border-line tabular-nums text-quiet">{percent} %</span>
        <button aria-label="Zoom in" className={CONTROL} onClick={() => void zoomIn()} type="button">
          +
        </button>
        <button className={CONTROL} onClick={() => void fitView(FIT)} type="button">
          Fit view
        </button>
      </div>
      {hasCriticalPath ? (
        <span className="flex items-center gap-1.5 rounded bg-bg px-1 text-quiet max-md:hidden">
          <svg aria-hidden="true" height="4" width="20">
            <path className="stroke-critical" d="M0 2H20" strokeWidth="2.5" />
          </svg>
          critical path
        </span>
      ) : null}
    </Panel>
  );
}
