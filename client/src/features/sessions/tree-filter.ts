import type { Session } from '@agent-console/shared/models/session';
import type { SessionBadge } from '@agent-console/shared/session-badge';
import { sessionName } from './badge.ts';

/** States by which sessions are filtered and grouped, in the order of their urgency. */
export const STATES = ['asks', 'failed', 'working', 'done', 'idle', 'ended'] as const;
export type State = (typeof STATES)[number];

export const STATE_NAMES: Readonly<Record<State, string>> = {
  asks: 'Needs you',
  failed: 'Failed',
  working: 'Working',
  done: 'Done',
  idle: 'Idle',
  ended: 'Paused and stopped',
};

/** Returns the state by which the session list filters and groups a session with this badge. */
export function stateOf({ kind }: Pick<SessionBadge, 'kind'>): State {
  if (kind === 'needs') return 'asks';
  if (kind === 'paused' || kind === 'stopped') return 'ended';
  return kind === 'unknown' ? 'idle' : kind;
}

/** Data about a session that filters use, but that the session itself does not contain. */
export interface Known {
  badge: Pick<SessionBadge, 'kind' | 'word' | 'unread'> | undefined;
  repository: string;
}

const NOTHING: Known = { badge: undefined, repository: '' };

/**
 * Whether every word matches the session. `label:`, `agent:` and `repo:` match the beginning of a label, of the agent
 * id and of the repository name. `is:` matches a state such as `failed` or `asks`. Other words match a state, or any
 * part of the session's name, branch, agent, path, labels and repository.
 */
export function isMatch(session: Session, words: readonly string[], known: Known = NOTHING): boolean {
  const { gitState, agentId, cwd, labels } = session;
  const text =
    `${sessionName(session)}\n${gitState?.ref ?? ''}\n${agentId}\n${cwd}\n${labels.join('\n')}\n${known.repository}`.toLowerCase();
  return words.every((word) => {
    const [, field, value = ''] = /^(label|agent|repo|is):(.*)$/.exec(word) ?? [];
    if (field === 'label') return labels.some((label) => label.startsWith(value));
    if (field === 'agent') return agentId.toLowerCase().startsWith(value);
    if (field === 'repo') return known.repository.toLowerCase().startsWith(value);
    if (field === 'is') return isState(value, known);
    return isState(word, known) || text.includes(word);
  });
}

function isState(word: string, { badge }: Known): boolean {
  if (badge === undefined) return false;
  return word === stateOf(badge) || word === badge.kind || word === badge.word || (word === 'unread' && badge.unread);
}
