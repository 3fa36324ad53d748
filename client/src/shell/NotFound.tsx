import { Link } from '@tanstack/react-router';
import { EmptyState } from '../ui/EmptyState.tsx';

export function NotFound() {
  return (
    <EmptyState>
      <p>Page not found.</p>
      <Link className="text-accent underline" to="/sessions">
        Go to sessions
      </Link>
    </EmptyState>
  );
}
