import { create } from 'zustand';

const KEY = 'agent-console.layout';
/** Folded groups and sessions that are remembered. */
const FOLDED_MAX = 500;
export const TREE_MIN = 200;
export const TREE_MAX = 560;

/** How someone arranged the sessions on this screen; kept in this browser. */
export interface Layout {
  treeShown: boolean;
  /** CSS pixels. */
  treeWidth: number;
  inspectorShown: boolean;
  /** Groups and sessions of the tree whose contents are hidden. */
  folded: readonly string[];
}

const DEFAULTS: Layout = { treeShown: true, treeWidth: 280, inspectorShown: true, folded: [] };

export const useLayout = create<Layout>(() => ({ ...DEFAULTS, ...stored() }));

/** Changes the arrangement and remembers it. */
export function updateLayout(change: Partial<Layout>): void {
  useLayout.setState(change);
  try {
    localStorage.setItem(KEY, JSON.stringify(useLayout.getState()));
  } catch {
    // Without room it lasts until the page is closed.
  }
}

/** Hides or shows what belongs to a row of the tree. */
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
