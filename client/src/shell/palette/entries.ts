import type { Standing } from '../../features/sessions/standing.ts';

/** Something the palette can do. */
export interface Entry {
  id: string;
  title: string;
  /** At the right, in small. */
  note?: string;
  /** How it stands, where it is a session. */
  standing?: Standing;
  keys?: string;
  /** Other words by which it is found. */
  more?: string;
  run(): void;
}

export interface Group {
  name: string;
  entries: readonly Entry[];
  /** Shown while nothing is typed; 0 for what must be searched for. */
  unasked: number;
  /** Shown of what is found. */
  asked: number;
}
