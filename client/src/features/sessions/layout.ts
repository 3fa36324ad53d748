import { create } from 'zustand';

const KEY = 'agent-console.layout';
/** Collapsed groups and sessions that are remembered. */
const FOLDED_MAX = 500;
export const TREE_MIN = 200;
export const TREE_MAX = 560;

/** Layout of the sessions page, stored in this browser. */
export interface Layout {
  treeShown: boolean;
  /** CSS pixels. */
  treeWidth: number;
  inspectorShown: boolean;
  /** Collapsed groups and sessions of the tree. */
  folded: readonly string[];
}

const DEFAULTS: Layout = { treeShown: true, treeWidth: 280, inspectorShown: true, folded: [] };

export const useLayout = create<Layout>(() => ({ ...DEFAULTS, ...stored() }));

/** Updates and stores the layout. */
export function updateLayout(change: Partial<Layout>): void {
  useLayout.setState(change);
  try {
    localStorage.setItem(KEY, JSON.stringify(useLayout.getState()));
  } catch {
    // Storage is full or disabled: the layout lasts until the page is closed.
  }
}

/** Collapses or expands a row of the tree. */
export function fold(id: string, isFolded: boolean): void {
  const others = useLayout.getState().folded.filter((each) => each !== id);
  updateLayout({ folded: isFolded ? [...others, id].slice(-FOLDED_MAX) : others });
}

function stored(): Partial<Layout> {
  try {
    const { treeShown, treeWidth, inspectorShown, folded } = JSON.parse(localStorage.getItem(KEY) ?? '') as Layout;
    return {
      treeShown: treeShown !== false,
      treeWidth: Math.min(TREE_MAX, Math.max(TREE_MIN, Number(treeWidth) || DEFAULTS.treeWidth)),
      inspectorShown: inspectorShown !== false,
      folded: Array.isArray(folded) ? folded.filter((id) => typeof id === 'string') : [],
    };
  } catch {
    return {};
  }
}
