import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import { lazy, Suspense, useState } from 'react';
import { useOperationQuery } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { Section } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { LoginList } from './LoginList.tsx';
import { TokenRow } from './TokenRow.tsx';

const TokenDialog = lazy(() => import('./TokenDialog.tsx'));

/** Token use causes no event. */
const LOOK_AGAIN_MS = 60_000;

/** Tokens and log-ins of people; workers' tokens are managed with their workers. */
export function TokenList() {
  const { data, error, isPending } = useOperationQuery(
    'tokens.list',
    { limit: PAGE_MAX },
    { refetchInterval: LOOK_AGAIN_MS },
  );
  const [adding, setAdding] = useState(false);
  const all = data?.data ?? [];
  const tokens = all.filter(({ login }) => !login);
  return (
    <>
      <LoginList logins={all.filter(({ login }) => login)} />
      <Section
        aside={<Button onClick={() => setAdding(true)}>Create token</Button>}
        lead="For scripts, editors and agents that you start yourself."
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
