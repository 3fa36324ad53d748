import type { Token } from '@agent-console/shared/models/token';
import { useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { Section } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { TokenRow } from './TokenRow.tsx';

/** This browser first, then by last use. */
function byUse(a: Token, b: Token): number {
  if (a.current !== b.current) return a.current ? -1 : 1;
  return (b.lastUsedAt ?? b.createdAt).localeCompare(a.lastUsedAt ?? a.createdAt);
}

/** Logged-in browsers; the others can be logged out together. */
export function LoginList({ logins }: { logins: readonly Token[] }) {
  const [sure, setSure] = useState(false);
  const revoke = useOperationMutation('tokens.revokeLogins', { onSuccess: () => setSure(false) });
  const others = logins.filter(({ current }) => !current).length;
  const aside = sure ? (
    <>
      <Button onClick={() => setSure(false)}>Cancel</Button>
      <Button busy={revoke.isPending} kind="danger" onClick={() => revoke.mutate({})}>
        Log out {others === 1 ? 'the other browser' : `${others} other browsers`}
      </Button>
    </>
  ) : (
    <Button onClick={() => setSure(true)}>Log out all others…</Button>
  );
  return (
    <Section
      aside={others === 0 ? undefined : aside}
      lead="Browsers that logged in with a link. Each is logged out after 30 days without use."
      title="Logins"
    >
      <Problem error={revoke.error} />
      <ul className="divide-y divide-line rounded-lg border border-line empty:hidden">
        {[...logins].sort(byUse).map((token) => (
          <TokenRow key={token.id} token={token} />
        ))}
      </ul>
    </Section>
  );
}
