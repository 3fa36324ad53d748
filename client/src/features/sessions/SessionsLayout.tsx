import { Outlet, useParams } from '@tanstack/react-router';
import { useKeyHints } from '../../shell/key-hints.ts';
import type { ShortcutId } from '../../shell/shortcut-labels.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Kbd } from '../../ui/Kbd.tsx';
import { Onboarding } from './LazyOnboarding.tsx';
import { useSessions } from './sessions-store.ts';
import { TreePane } from './TreePane.tsx';

/** Session tree and open session. A phone shows only one of them. */
export function SessionsLayout() {
  const { sessionId } = useParams({ strict: false });
  const open = sessionId !== undefined;
  const empty = useSessions(({ loaded, order }) => loaded && order.length === 0);
  return (
    <main className="relative flex h-full">
      {open ? null : <h1 className="sr-only">Sessions</h1>}
      <TreePane selected={sessionId} />
      <div className={`h-full min-w-0 flex-1 ${open ? '' : 'max-md:hidden'}`}>
        {open ? <Outlet /> : empty ? <Onboarding /> : <SelectSession />}
      </div>
    </main>
  );
}

function SelectSession() {
  return (
    <EmptyState>
      <p>Select a session</p>
      <p className="text-sm">
        <Keys of="next-session" /> <Keys of="previous-session" /> to move · <Kbd>Enter</Kbd> to open ·{' '}
        <Keys of="next-that-needs-you" /> next inbox item · <Keys of="show-keyboard-shortcuts" /> all shortcuts
      </p>
    </EmptyState>
  );
}

function Keys({ of: id }: { of: ShortcutId }) {
  const keys = useKeyHints().keysOf(id);
  return keys === undefined ? null : <Kbd>{keys}</Kbd>;
}
