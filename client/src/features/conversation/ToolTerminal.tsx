import { Link } from '@tanstack/react-router';
import { TerminalPreview } from '../../terminal/index.tsx';
import { isLive } from '../sessions/badge.ts';
import { useSession } from '../sessions/sessions-store.ts';

export function ToolTerminal({ sessionId, workerId }: { sessionId: string; workerId: string }) {
  const worker = useSession(sessionId)?.workers.find(({ id }) => id === workerId);
  return (
    <section aria-label="Terminal of the tool call" className="overflow-hidden rounded-b-md">
      <div className="flex h-8 items-center gap-2 px-3 text-sm text-quiet">
        <span className="flex-1">
          {worker === undefined
            ? 'This terminal is no longer available.'
            : isLive(worker)
              ? 'Running'
              : `Ended${worker.exitCode === null ? '' : `, exit status ${worker.exitCode}`}`}
        </span>
        {worker === undefined ? null : (
          <Link
            className="text-accent hover:underline"
            params={{ sessionId }}
            search={{ worker: workerId }}
            to="/sessions/$sessionId"
          >
            Open terminal
          </Link>
        )}
      </div>
      {worker === undefined ? null : <TerminalPreview sessionId={sessionId} workerId={workerId} />}
    </section>
  );
}
