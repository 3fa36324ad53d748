import type { ReactNode } from 'react';
import { Icon } from '../../ui/Icon.tsx';
import { type AnyState, STATE_TONES, stateWord } from './states.ts';

const DISC = <circle cx="8" cy="8" fill="currentColor" r="6.5" stroke="none" />;
/**
 * Returns strokes in the background colour of the page. Drawn on top of DISC, the strokes look like holes in the disc.
 */
const cut = (path: string) => <path className="stroke-bg" d={path} strokeWidth="1.8" />;
const ring = (dashes?: string) => <circle cx="8" cy="8" r="5.75" strokeDasharray={dashes} />;

const SHAPES: Record<AnyState, ReactNode> = {
  created: ring(),
  pending: ring('2.2 2.32'),
  running: (
    <>
      <circle cx="8" cy="8" opacity="0.25" r="5.75" strokeWidth="2" />
      <path d="M8 2.25A5.75 5.75 0 0 1 13.75 8" strokeWidth="2" />
    </>
  ),
  paused: (
    <>
      {ring()}
      <path d="M6.4 5.7v4.6M9.6 5.7v4.6" />
    </>
  ),
  interrupted: (
    <>
      {ring('7 2.03')}
      <path d="M8 5v3.6M8 10.4v.6" />
    </>
  ),
  completed: (
    <>
      {DISC}
      {cut('M5 8.2l2.1 2.1L11 6.2')}
    </>
  ),
  failed: (
    <>
      {DISC}
      {cut('M5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4')}
    </>
  ),
  cancelled: (
    <>
      {ring()}
      <path d="M4 12L12 4" />
    </>
  ),
  skipped: (
    <>
      {ring()}
      <path d="M5.6 5.8L7.8 8l-2.2 2.2M8.6 5.8L10.8 8l-2.2 2.2" />
    </>
  ),
};

/** Icon of a state in its colour, without a label. `isStill` turns off the animation, for a state in the past. */
export function StateIcon({ state, isStill = false }: { state: AnyState; isStill?: boolean }) {
  return (
    <Icon
      // The whole element is rotated, because rotating the path within it would repaint the icon in each frame.
      className={`shrink-0 ${state === 'running' && !isStill ? 'animate-spin' : ''} ${STATE_TONES[state].text}`}
      size={16}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {SHAPES[state]}
    </Icon>
  );
}

export function StateLabel({ state, className = '' }: { state: AnyState; className?: string }) {
  return (
    <span className={`inline-flex items-center gap-1.5 whitespace-nowrap align-middle ${className}`}>
      <StateIcon state={state} />
      <span className={STATE_TONES[state].text}>{stateWord(state)}</span>
    </span>
  );
}
