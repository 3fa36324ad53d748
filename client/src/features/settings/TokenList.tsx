import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { Token } from '@agent-console/shared/models/token';
import { lazy, Suspense, useState } from 'react';
import { useAction, useAnswer } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { GivenLine } from '../../ui/Given.tsx';
import { Section } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';

const TokenDialog = lazy(() => import('./TokenDialog.tsx'));

/** Tokens of people; those of workers come and go with them. */
export function TokenList() {
  const { data, error, isPending } = useAnswer('tokens.list', { limit: PAGE_MAX });
  const [adding, setAdding] = useState(false);
  const tokens = (data?.data ?? []).filter(({ kind }) => kind === 'user');
  return (
    <Section
      aside={<Button onClick={() => setAdding(true)}>Create token</Button>}
      lead="For scripts, editors and other browsers. This page signed in with one, too."
      title="Tokens"
    >
      <Problem error={error} />
      {isPending ? <Skeleton /> : null}
      {data !== undefined && tokens.length === 0 ? <p className="text-quiet">There is none.</p> : null}
      <ul className="divide-y divide-line rounded-lg border border-line empty:hidden">
        {tokens.map((token) => (
          <Row key={token.id} token={token} />
        ))}
      </ul>
      <Suspense>{adding ? <TokenDialog onClose={() => setAdding(false)} /> : null}</Suspense>
    </Section>
  );
}

function Row({ token: { id, name, scopes, createdAt, expiresAt } }: { token: Token }) {
  const [sure, setSure] = useState(false);
  const revoke = useAction('tokens.revoke');
  return (
    <li className="flex flex-col gap-2 px-3 py-2">
      <div className="flex items-center gap-3">
        <div className="min-w-0 flex-1">
          <GivenLine className="font-medium" text={name} />
          <p className="text-sm text-quiet">
            {scopes.join(', ')} · made {new Date(createdAt).toLocaleDateString()} ·{' '}
            {expiresAt === null ? 'does not expire' : `expires ${new Date(expiresAt).toLocaleDateString()}`}
          </p>
        </div>
        {sure ? (
          <>
            <Button onClick={() => setSure(false)}>Keep</Button>
            <Button busy={revoke.isPending} kind="danger" onClick={() => revoke.mutate({ tokenId: id })}>
              Revoke at once
            </Button>
          </>
        ) : (
          <Button onClick={() => setSure(true)}>Revoke…</Button>
        )}
      </div>
      <Problem error={revoke.error} />
    </li>
  );
}
