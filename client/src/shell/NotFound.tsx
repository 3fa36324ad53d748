import { Link } from '@tanstack/react-router';
import { EmptyState } from '../ui/EmptyState.tsx';

/** An address that leads nowhere. */
export function NotFound() {
  return (
    <EmptyState>
      <p>Nothing is at this address.</p>
      <Link className="text-accent underline" to="/sessions">
        Go to the sessions
      </Link>
    </EmptyState>
  );
}
