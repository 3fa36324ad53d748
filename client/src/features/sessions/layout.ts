import { create } from 'zustand';
import { readStored, writeStored } from '../../ui/local-storage.ts';
import { GROUPINGS, type GroupBy } from './tree-rows.ts';

const KEY = 'agent-console.layout';
/** Maximum collapsed groups and sessions that are remembered. */
const FOLDED_MAX = 500;
export const TREE_MIN = 200;
export const TREE_MAX = 560;

/** Layout of the sessions page, stored in this browser. */
export interface Layout {
  treeShown: boolean;
  /** Width of the session tree in CSS pixels. */
  treeWidth: number;
  inspectorShown: boolean;
  groupBy: GroupBy;
  /** Ids of collapsed groups and sessions of the tree. */
  folded: readonly string[];
}

const TREE_DEFAULT = 320;

export const useLayout = create<Layout>(stored);

/** Updates and stores the layout. */
export function updateLayout(change: Partial<Layout>): void {
  useLayout.setState(change);
  writeStored(KEY, useLayout.getState());
}

/** Collapses or expands a row of the tree. */
export function fold(id: string, isFolded: boolean): void {
  const others = useLayout.getState().folded.filter((each) => each !== id);
  updateLayout({ folded: isFolded ? [...others, id].slice(-FOLDED_MAX) : others });
}

function stored(): Layout {
  const isObject = (value: unknown): value is Partial<Layout> => typeof value === 'object' && value !== null;
  const { treeShown, treeWidth, inspectorShown, groupBy, folded } = readStored<Partial<Layout>>(KEY, {}, isObject);
  return {
    treeShown: treeShown !== false,
    treeWidth: Math.min(TREE_MAX, Math.max(TREE_MIN, Number(treeWidth) || TREE_DEFAULT)),
    inspectorShown: inspectorShown !== false,
    groupBy: GROUPINGS.find((each) => each === groupBy) ?? 'repository',
    folded: Array.isArray(folded) ? folded.filter((id) => typeof id === 'string') : [],
  };
}
