import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { User } from '@agent-console/shared/models/user';
import { lazy, Suspense, useState } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { FormDialog } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/Field.tsx';
import { FormProblem, Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { useForm } from '../../ui/use-form.ts';
import { userName } from './user-name.ts';

const TokenDialog = lazy(() => import('./TokenDialog.tsx'));

const dayOf = (moment: string) => new Date(moment).toLocaleDateString();

export function UserList() {
  const { data, error, isPending } = useOperationQuery('users.list', { limit: PAGE_MAX });
  const [edited, setEdited] = useState<User | 'new'>();
  const [tokenFor, setTokenFor] = useState<User>();
  return (
    <>
      <div className="flex justify-end">
        <Button onClick={() => setEdited('new')}>Add user</Button>
      </div>
      <Problem error={error} />
      {isPending ? <Skeleton /> : null}
      <ul aria-label="Users" className="divide-y divide-line rounded-lg border border-line empty:hidden">
        {data?.data.map((user) => (
          <UserRow key={user.id} onEdit={() => setEdited(user)} onToken={() => setTokenFor(user)} user={user} />
        ))}
      </ul>
      {edited === undefined ? null : (
        <UserDialog onClose={() => setEdited(undefined)} user={edited === 'new' ? undefined : edited} />
      )}
      <Suspense>
        {tokenFor === undefined ? null : <TokenDialog onClose={() => setTokenFor(undefined)} user={tokenFor} />}
      </Suspense>
    </>
  );
}

function UserRow({ user, onEdit, onToken }: { user: User; onEdit(): void; onToken(): void }) {
  const { id, email, localOwner, createdAt } = user;
  const remove = useOperationMutation('users.remove');
  const name = userName(user);
  return (
    <li className="flex flex-col gap-2 px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-50">
          <UntrustedLine className="font-medium" text={name} />
          <p className="truncate text-sm text-quiet">
            {localOwner ? 'owner of this machine · ' : ''}
            {email === null || email === name ? '' : `${email} · `}
            {`added ${dayOf(createdAt)}`}
          </p>
        </div>
        <div className="flex flex-wrap gap-1.5">
          {localOwner ? null : <Button onClick={onToken}>Create token</Button>}
          <Button onClick={onEdit}>Edit</Button>
          {localOwner ? null : (
            <ConfirmButton
              busy={remove.isPending}
              confirm="Remove user and revoke their tokens"
              label="Remove…"
              onConfirm={() => remove.mutate({ userId: id })}
            />
          )}
        </div>
      </div>
      <Problem error={remove.error} />
    </li>
  );
}

function UserDialog({ user, onClose }: { user: User | undefined; onClose(): void }) {
  const create = useOperationMutation('users.create', { onSuccess: onClose });
  const update = useOperationMutation('users.update', { onSuccess: onClose });
  const { error, isPending } = user === undefined ? create : update;
  const { values, names, field } = useForm({ username: user?.username ?? '', email: user?.email ?? '' }, error);
  const send = () => {
    const username = values.username.trim();
    const email = values.email.trim();
    if (user !== undefined) {
      update.mutate({ userId: user.id, username: username || null, email: email || null });
    } else create.mutate({ ...(username === '' ? {} : { username }), ...(email === '' ? {} : { email }) });
  };
  return (
    <FormDialog
      busy={isPending}
      onClose={onClose}
      onSubmit={send}
      problem={<FormProblem error={error} fields={names} />}
      submit={user === undefined ? 'Add user' : 'Save'}
      title={user === undefined ? 'Add user' : 'Edit user'}
    >
      <TextField {...field('username', 'Enter a name.')} autoFocus label="Name" placeholder="Ann" />
      <TextField {...field('email')} inputMode="email" label="E-mail address" optional placeholder="ann@example.com" />
    </FormDialog>
  );
}
