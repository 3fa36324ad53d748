import type { InboxItem } from '@agent-console/shared/models/inbox';
import { isolateText } from '../../ui/hidden-characters.ts';
import { useSessions } from '../sessions/sessions-store.ts';

interface Words {
  glyph: string;
  word: string;
  /** Replaces `word` when the item no longer needs a person. */
  resolved: string;
  tone: string;
}

export const KINDS: Record<InboxItem['kind'], Words> = {
  asks: { glyph: '▲', word: 'asks', resolved: 'no longer asks', tone: 'text-needs' },
  blocked: { glyph: '▲', word: 'prompt blocked', resolved: 'prompt no longer blocked', tone: 'text-needs' },
  budget: { glyph: '▲', word: 'budget used up', resolved: 'budget no longer used up', tone: 'text-needs' },
  failed: { glyph: '⊘', word: 'failed', resolved: 'read', tone: 'text-failed' },
  done: { glyph: '●', word: 'done', resolved: 'read', tone: 'text-done' },
};

/** Returns the repository, branch and agent of an item as one text, which begins with `Run` for an orchestration. */
export function useLocation({ repositoryId, branch, agentId, orchestrationId }: InboxItem): string {
  const repository = useSessions(({ repositories }) => repositories[repositoryId ?? '']);
  return [orchestrationId === null ? undefined : 'Run', repository, branch, agentId]
    .filter((part) => part !== undefined && part !== null && part !== '')
    .map((part) => isolateText(part ?? ''))
    .join(' · ');
}
