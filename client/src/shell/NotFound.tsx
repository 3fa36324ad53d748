import { Link } from '@tanstack/react-router';
import { Empty } from '../ui/Empty.tsx';

/** An address that leads nowhere. */
export function NotFound() {
  return (
    <Empty>
      <p>Nothing is at this address.</p>
      <Link className="text-accent underline" to="/sessions">
        Go to the sessions
      </Link>
    </Empty>
  );
}
