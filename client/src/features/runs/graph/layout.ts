import type { OrchestrationStrategy } from '@agent-console/shared/models/orchestration';
import { columnsOf, linksOf, type PlanAgent } from '../plan.ts';

/** Sizes in CSS pixels at a zoom of 1. */
export const NODE = { width: 208, height: 76 } as const;
const ROW_GAP = 16;
const COLUMN_GAP = 76;
/** Horizontal gap between the columns of a stage that is shown as several columns. */
const NARROW_GAP = 16;
/** Space around the agents of a stage, and above them for its title. */
const STAGE_PADDING = 16;
const STAGE_TITLE = 28;
/** Number of agents above which a stage is shown as several columns. */
const ROWS_MIN = 12;
/** Preferred ratio of height to width for the grid of agents in a stage, chosen so that many agents fill a screen. */
const GRID_ASPECT = 0.6;
/** Number of times that the agents within the stages are sorted, so that fewer links cross. */
const SWEEPS = 4;

/** Smallest zoom with which the graph opens. The names of agents are readable at this zoom. */
const FIRST_ZOOM_MIN = 0.3;
/** Space around the graph in the first view. */
const MARGIN = 24;

export interface Position {
  x: number;
  y: number;
}

/** A stage: agents that can run at the same time. */
interface StageBox extends Position {
  index: number;
  width: number;
  height: number;
  agentIds: readonly string[];
}

/** A link between two agents as a curve. */
export interface Curve {
  from: string;
  to: string;
  path: string;
}

export interface Layout {
  positions: ReadonlyMap<string, Position>;
  stages: readonly StageBox[];
  curves: readonly Curve[];
}

/** Places agents in stages from left to right, so that few links cross. */
export function layOut(strategy: OrchestrationStrategy, agents: readonly PlanAgent[]): Layout {
  const links = linksOf(strategy, agents);
  const columns = orderColumns(columnsIn(strategy, agents), links);
  const positions = new Map<string, Position>();
  const before = neighbours(links, 'to', 'from');
  let x = 0;
  for (const column of columns) x = placeColumn(column, x, before, positions);
  return { positions, stages: stageBoxes(columns, positions), curves: curvesOf(links, positions) };
}

/** Returns the initial view: the whole graph if names are readable at that zoom, otherwise its beginning. */
export function firstView(
  { stages }: Layout,
  { width, height }: { width: number; height: number },
): Position & { zoom: number } {
  const [first] = stages;
  const last = stages.at(-1);
  if (first === undefined || last === undefined) return { x: 0, y: 0, zoom: 1 };
  const wide = last.x + last.width - first.x;
  const fitting = Math.min((width - 2 * MARGIN) / wide, (height - 2 * MARGIN) / first.height);
  const zoom = Math.min(1, Math.max(FIRST_ZOOM_MIN, fitting));
  const start = (size: number, shown: number) => Math.max(MARGIN, (size - shown * zoom) / 2);
  return {
    x: start(width, wide) - first.x * zoom,
    y: start(height, first.height) - first.y * zoom,
    zoom,
  };
}

function columnsIn(strategy: OrchestrationStrategy, agents: readonly PlanAgent[]): string[][] {
  const columns: string[][] = [];
  for (const [agentId, column] of columnsOf(strategy, agents)) {
    while (columns.length <= column) columns.push([]);
    columns[column]?.push(agentId);
  }
  return columns;
}

function neighbours(
  links: readonly { from: string; to: string }[],
  of: 'from' | 'to',
  other: 'from' | 'to',
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const link of links) {
    const known = found.get(link[of]);
    if (known === undefined) found.set(link[of], [link[other]]);
    else known.push(link[other]);
  }
  return found;
}

/**
 * Sorts each column by the average position of each agent's neighbours. Passes from left to right use the neighbours on
 * the left; passes from right to left use the neighbours on the right.
 */
function orderColumns(
  columns: readonly (readonly string[])[],
  links: readonly { from: string; to: string }[],
): readonly (readonly string[])[] {
  const before = neighbours(links, 'to', 'from');
  const after = neighbours(links, 'from', 'to');
  const ordered = columns.map((column) => [...column]);
  const places = new Map<string, number>();
  const note = (column: readonly string[]) => {
    for (const [index, id] of column.entries()) places.set(id, index / column.length);
  };
  for (const column of ordered) note(column);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isForward = sweep % 2 === 0;
    for (const column of isForward ? ordered : ordered.toReversed()) {
      const beside = isForward ? before : after;
      const weights = new Map(column.map((id) => [id, average(beside.get(id), places) ?? places.get(id) ?? 0]));
      column.sort((a, b) => (weights.get(a) ?? 0) - (weights.get(b) ?? 0));
      note(column);
    }
  }
  return ordered;
}

function average(ids: readonly string[] | undefined, places: ReadonlyMap<string, number>): number | undefined {
  if (ids === undefined || ids.length === 0) return undefined;
  return ids.reduce((sum, id) => sum + (places.get(id) ?? 0), 0) / ids.length;
}

const STEP = NODE.height + ROW_GAP;

/** Places a column at `x` and returns the position of the next one. */
function placeColumn(
  column: readonly string[],
  x: number,
  before: ReadonlyMap<string, readonly string[]>,
  positions: Map<string, Position>,
): number {
  const rows = rowsOf(column.length);
  const width = Math.ceil(column.length / rows);
  if (width === 1) {
    const ys = new Map([...positions].map(([id, { y }]) => [id, y]));
    const middle = (index: number) => (index - (column.length - 1) / 2) * STEP;
    const wanted = column.map((id, index) => average(before.get(id), ys) ?? middle(index));
    for (const [index, y] of spread(wanted).entries()) positions.set(column[index] ?? '', { x, y });
  } else {
    for (const [index, id] of column.entries()) {
      const y = ((index % rows) - (rows - 1) / 2) * STEP;
      positions.set(id, { x: x + Math.floor(index / rows) * (NODE.width + NARROW_GAP), y });
    }
  }
  return x + width * NODE.width + (width - 1) * NARROW_GAP + COLUMN_GAP;
}

function rowsOf(count: number): number {
  return Math.max(Math.min(count, ROWS_MIN), Math.ceil(Math.sqrt((count * NODE.width * GRID_ASPECT) / STEP)));
}

/**
 * Moves positions apart so that neighbours are at least STEP from each other. The average of all positions stays the
 * same.
 */
function spread(wanted: readonly number[]): number[] {
  const placed: number[] = [];
  for (const y of wanted) placed.push(Math.max(y, (placed.at(-1) ?? Number.NEGATIVE_INFINITY) + STEP));
  const shift = placed.reduce((sum, y, index) => sum + y - (wanted[index] ?? 0), 0) / Math.max(1, placed.length);
  return placed.map((y) => Math.round(y - shift));
}

/** Returns the boxes around the agents of each stage. All boxes have the same top and height. */
function stageBoxes(
  columns: readonly (readonly string[])[],
  positions: ReadonlyMap<string, Position>,
): readonly StageBox[] {
  const ys = [...positions.values()].map(({ y }) => y);
  const top = ys.reduce((least, y) => Math.min(least, y), Number.POSITIVE_INFINITY);
  const bottom = ys.reduce((most, y) => Math.max(most, y), 0) + NODE.height;
  return columns.map((agentIds, index) => {
    const xs = agentIds.map((id) => positions.get(id)?.x ?? 0);
    const left = Math.min(...xs);
    return {
      index,
      agentIds,
      x: left - STAGE_PADDING,
      y: top - STAGE_PADDING - STAGE_TITLE,
      width: Math.max(...xs) + NODE.width - left + 2 * STAGE_PADDING,
      height: bottom - top + 2 * STAGE_PADDING + STAGE_TITLE,
    };
  });
}

function curvesOf(links: readonly { from: string; to: string }[], positions: ReadonlyMap<string, Position>): Curve[] {
  return links.flatMap(({ from, to }) => {
    const a = positions.get(from);
    const b = positions.get(to);
    return a === undefined || b === undefined ? [] : [{ from, to, path: curve(a, b) }];
  });
}

function curve(from: Position, to: Position): string {
  const x1 = from.x + NODE.width;
  const y1 = from.y + NODE.height / 2;
  const x2 = to.x;
  const y2 = to.y + NODE.height / 2;
  const bend = Math.min(Math.max(24, (x2 - x1) / 2), 120);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}
