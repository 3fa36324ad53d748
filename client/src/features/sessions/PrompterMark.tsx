import type { Session } from '@agent-console/shared/models/session';
import { Link } from '@tanstack/react-router';
import { usePrompter } from './prompter.ts';

/** Speech bubble that marks a session whose prompt another session wrote. */
export function PrompterIcon() {
  return (
    <svg
      aria-hidden="true"
      fill="none"
      height="12"
      stroke="currentColor"
      strokeLinejoin="round"
      strokeWidth="1.2"
      viewBox="0 0 12 12"
      width="12"
    >
      <path d="M2 1.5h8a1 1 0 0 1 1 1V7a1 1 0 0 1-1 1H5.5L3 10.5V8H2a1 1 0 0 1-1-1V2.5a1 1 0 0 1 1-1Z" />
      <path d="M4.25 4v1.5M7.75 4v1.5" strokeLinecap="round" />
    </svg>
  );
}

/** Link to the session that prompted a session. Renders nothing if no session wrote the current or last prompt. */
export function PrompterMark({ session, className = '' }: { session: Session; className?: string }) {
  const prompter = usePrompter(session);
  if (prompter === undefined) return null;
  const { sessionId, name } = prompter;
  const label = `Prompted by ${name}`;
  const box = `grid shrink-0 place-items-center rounded-md text-quiet ${className}`;
  if (sessionId === null) {
    return (
      <span aria-label={label} className={box} role="img" title={label}>
        <PrompterIcon />
      </span>
    );
  }
  return (
    <Link
      aria-label={label}
      className={`${box} hover:bg-hover hover:text-text`}
      draggable={false}
      params={{ sessionId }}
      tabIndex={-1}
      title={label}
      to="/sessions/$sessionId"
    >
      <PrompterIcon />
    </Link>
  );
}
