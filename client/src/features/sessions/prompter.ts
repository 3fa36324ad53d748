import type { Session } from '@agent-console/shared/models/session';
import { isolateText } from '../../ui/hidden-characters.ts';
import { sessionName } from './badge.ts';
import { isOwnPrompt } from './own-prompt.ts';
import { useSession } from './sessions-store.ts';

interface Prompter {
  /** Id of the session that wrote the prompt; null if the viewer cannot see this session. */
  sessionId: string | null;
  /** Name of this session, for use within a sentence. */
  name: string;
}

/**
 * Returns the other session that wrote the current prompt of a session or, without a current one, its last prompt.
 * Undefined if no other session wrote the prompt, but for example a person or the session itself.
 */
export function usePrompter(session: Session | undefined): Prompter | undefined {
  const source = session?.task?.source;
  const sessionId = source?.kind === 'session' ? source.id : null;
  const prompter = useSession(sessionId ?? undefined);
  if (session === undefined || source?.kind !== 'session') return undefined;
  if (isOwnPrompt({ sessionId: session.id, source })) return undefined;
  return { sessionId, name: prompter === undefined ? 'another session' : isolateText(sessionName(prompter)) };
}
