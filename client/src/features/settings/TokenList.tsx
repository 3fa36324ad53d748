import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { Token } from '@agent-console/shared/models/token';
import { lazy, Suspense, useState } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { Section } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';

const TokenDialog = lazy(() => import('./TokenDialog.tsx'));

/** Poll interval in milliseconds. Polling is needed because the use of a token causes no event. */
const POLL_MS = 60_000;

/** Tokens of people, and browsers in which people are logged in. The tokens of workers are not listed. */
export function TokenList() {
  const { data, error, isPending } = useOperationQuery(
    'tokens.list',
    { limit: PAGE_MAX },
    { refetchInterval: POLL_MS },
  );
  const [adding, setAdding] = useState(false);
  const all = data?.data ?? [];
  const tokens = all.filter(({ login }) => !login);
  return (
    <>
      <LoginList logins={all.filter(({ login }) => login)} />
      <Section
        aside={<Button onClick={() => setAdding(true)}>Create token</Button>}
        lead="For other users, and for scripts, editors and agents that you start yourself."
        title="Tokens"
      >
        <Problem error={error} />
        {isPending ? <Skeleton /> : null}
        {data !== undefined && tokens.length === 0 ? <p className="text-quiet">No tokens yet</p> : null}
        <ul className="divide-y divide-line rounded-lg border border-line empty:hidden">
          {tokens.map((token) => (
            <TokenRow key={token.id} token={token} />
          ))}
        </ul>
        <Suspense>{adding ? <TokenDialog onClose={() => setAdding(false)} /> : null}</Suspense>
      </Section>
    </>
  );
}

/**
 * Comparison for sorting: the token of this browser first, then the others by last use (if unused, by creation), newest
 * first.
 */
function byUse(a: Token, b: Token): number {
  if (a.current !== b.current) return a.current ? -1 : 1;
  return (b.lastUsedAt ?? b.createdAt).localeCompare(a.lastUsedAt ?? a.createdAt);
}

/** Lists logged-in browsers. All browsers except this one can be logged out together. */
function LoginList({ logins }: { logins: readonly Token[] }) {
  const revoke = useOperationMutation('tokens.revokeLogins');
  const others = logins.filter(({ current }) => !current).length;
  return (
    <Section
      aside={
        others === 0 ? undefined : (
          <ConfirmButton
            busy={revoke.isPending}
            confirm={`Log out ${others === 1 ? 'the other browser' : `${others} other browsers`}`}
            label="Log out all other browsers…"
            onConfirm={() => revoke.mutate({})}
          />
        )
      }
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

const dayOf = (moment: string) => new Date(moment).toLocaleDateString();
const minuteOf = (moment: string) =>
  new Date(moment).toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'short' });

/** A token with creation, last use and expiry. Revoking it requires confirmation. */
function TokenRow({ token }: { token: Token }) {
  const { id, name, scopes, login, current, createdAt } = token;
  const revoke = useOperationMutation('tokens.revoke');
  return (
    <li className="flex flex-col gap-2 px-3 py-2">
      <div className="flex items-center gap-3">
        <div className="min-w-0 flex-1">
          {login ? (
            <p className="font-medium">{current ? 'This browser' : 'Another browser'}</p>
          ) : (
            <UntrustedLine className="font-medium" text={name} />
          )}
          <p className="text-sm text-quiet">
            {login ? `logged in ${minuteOf(createdAt)}` : `${scopes.join(', ')} · created ${dayOf(createdAt)}`} ·{' '}
            {lastUseOf(token)} · {expiryOf(token)}
          </p>
        </div>
        <ConfirmButton
          busy={revoke.isPending}
          confirm={current ? 'Log out this browser' : login ? 'Log out' : 'Revoke token'}
          label={login ? 'Log out…' : 'Revoke…'}
          onConfirm={() => revoke.mutate({ tokenId: id })}
        />
      </div>
      <Problem error={revoke.error} />
    </li>
  );
}

function lastUseOf({ current, lastUsedAt }: Token): string {
  if (current) return 'in use';
  return lastUsedAt === null ? 'never used' : `last used ${minuteOf(lastUsedAt)}`;
}

function expiryOf({ login, expiresAt }: Token): string {
  if (expiresAt === null) return 'does not expire';
  if (Date.parse(expiresAt) <= Date.now()) return `expired ${dayOf(expiresAt)}`;
  return login ? `expires ${dayOf(expiresAt)} if not used until then` : `expires ${dayOf(expiresAt)}`;
}
