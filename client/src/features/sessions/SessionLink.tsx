import { Link } from '@tanstack/react-router';
import { isolateText } from '../../ui/hidden-characters.ts';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { sessionName } from './badge.ts';
import { useSession } from './sessions-store.ts';

/**
 * Link to a session by name. If the session is not loaded, shows `title` instead or, without a title, the start of the
 * id.
 */
export function SessionLink({ sessionId, title }: { sessionId: string; title?: string }) {
  const session = useSession(sessionId);
  const name = session === undefined ? title?.trim() || sessionId.slice(0, 8) : sessionName(session);
  return (
    <Link
      className="min-w-0 max-w-60 shrink-0 text-sm text-accent hover:underline max-[1200px]:max-w-52 max-md:max-w-1/3"
      params={{ sessionId }}
      title={`Session ${isolateText(name)}`}
      to="/sessions/$sessionId"
    >
      <UntrustedLine text={name} />
    </Link>
  );
}
