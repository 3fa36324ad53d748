import type { Standing } from './standing.ts';

/** The colour says what the glyph says; grey is normal. */
export function toneOf({ kind, unread }: Pick<Standing, 'kind' | 'unread'>): string {
  if (kind === 'needs') return 'text-needs';
  if (kind === 'failed') return 'text-failed';
  return kind === 'done' && unread ? 'text-done' : 'text-quiet';
}

/** The glyph of a standing in a box that is as wide for all of them. */
export function StandingGlyph({ standing, className = '' }: { standing: Standing; className?: string }) {
  const pulse = standing.kind === 'working' ? 'animate-pulse-slow' : '';
  const narrow = standing.kind === 'paused' ? 'text-[9px] tracking-tighter' : '';
  return (
    <span
      aria-hidden
      className={`inline-block w-4 shrink-0 text-center ${toneOf(standing)} ${pulse} ${narrow} ${className}`}
    >
      {standing.glyph}
    </span>
  );
}
