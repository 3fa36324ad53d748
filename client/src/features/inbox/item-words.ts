import type { InboxItem } from '@agent-console/shared/models/inbox';
import { isolateText } from '../../ui/hidden-characters.ts';
import { useSessions } from '../sessions/sessions-store.ts';

export const KINDS: Record<InboxItem['kind'], { glyph: string; word: string; tone: string }> = {
  asks: { glyph: '▲', word: 'asks', tone: 'text-needs' },
  blocked: { glyph: '▲', word: 'prompt blocked', tone: 'text-needs' },
  budget: { glyph: '▲', word: 'budget used up', tone: 'text-needs' },
  failed: { glyph: '⊘', word: 'failed', tone: 'text-failed' },
  done: { glyph: '●', word: 'done', tone: 'text-done' },
};

/** Returns where the work happens: repository, branch and agent. */
export function useLocation({ repositoryId, branch, agentId, orchestrationId }: InboxItem): string {
  const repository = useSessions(({ repositories }) => repositories[repositoryId ?? '']);
  return [orchestrationId === null ? undefined : 'Run', repository, branch, agentId]
    .filter((part) => part !== undefined && part !== null && part !== '')
    .map((part) => isolateText(part ?? ''))
    .join(' · ');
}
