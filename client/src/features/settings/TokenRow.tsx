import type { Token } from '@agent-console/shared/models/token';
import { useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';

const dayOf = (moment: string) => new Date(moment).toLocaleDateString();
const minuteOf = (moment: string) =>
  new Date(moment).toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'short' });

/** A token: creation, last use and expiry; revoked after confirmation. */
export function TokenRow({ token }: { token: Token }) {
  const { id, name, scopes, login, current, createdAt } = token;
  const [sure, setSure] = useState(false);
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
        {sure ? (
          <>
            <Button onClick={() => setSure(false)}>Cancel</Button>
            <Button busy={revoke.isPending} kind="danger" onClick={() => revoke.mutate({ tokenId: id })}>
              {current ? 'Log out this browser' : login ? 'Log out' : 'Revoke token'}
            </Button>
          </>
        ) : (
          <Button onClick={() => setSure(true)}>{login ? 'Log out…' : 'Revoke…'}</Button>
        )}
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
  return login ? `expires ${dayOf(expiresAt)} unless used` : `expires ${dayOf(expiresAt)}`;
}
