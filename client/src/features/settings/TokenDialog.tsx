import type { Scope } from '@agent-console/shared/models/token';
import type { User } from '@agent-console/shared/models/user';
import { type ReactNode, useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Dialog, FormDialog, MainButton } from '../../ui/Dialog.tsx';
import { Checkbox, TextField, useMissing } from '../../ui/Field.tsx';
import { isolateText } from '../../ui/hidden-characters.ts';
import { FormProblem } from '../../ui/Problem.tsx';
import { SelectField } from '../../ui/Select.tsx';
import { useForm } from '../../ui/use-form.ts';
import { userName } from './user-name.ts';

const SCOPES: readonly { scope: Scope; label: string; hint: string }[] = [
  { scope: 'read', label: 'Read', hint: 'Can see everything that the user of the token can see.' },
  { scope: 'write', label: 'Write', hint: 'Can delegate work, and prompt, start and stop sessions.' },
  {
    scope: 'owner',
    label: 'Owner',
    hint: 'Can also manage settings, agents and tokens. Anyone with this token can act as you.',
  },
];
const DAY_MS = 86_400_000;
const LIFETIMES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'No expiration' },
];

/**
 * Dialog that creates a token and shows its secret once. The token is for `user`, or for the person at this browser by
 * default.
 */
export default function TokenDialog({ user, onClose }: { user?: User; onClose(): void }) {
  const [scopes, setScopes] = useState<readonly Scope[]>(['read', 'write']);
  const create = useOperationMutation('tokens.create');
  const { values, names, field } = useForm({ name: '', days: '90' }, create.error);
  if (create.data !== undefined) {
    const { token } = create.data;
    return (
      <Dialog
        actions={
          <>
            <CopyButton label="Copy token" text={token} />
            <MainButton onClick={onClose}>Done</MainButton>
          </>
        }
        onClose={onClose}
        title={`Token “${create.data.name}”`}
      >
        <div className="flex flex-col gap-2">
          <p>Copy the token now. You will not see it again.</p>
          <code className="select-all break-all rounded-md border border-line bg-sunken p-2 font-mono text-sm">
            {token}
          </code>
          <p className="text-quiet">
            Send the token in the header “Authorization: Bearer …”. Never put a token in a URL.
          </p>
        </div>
      </Dialog>
    );
  }
  const { name, days } = values;
  const expiresAt = days === '' ? undefined : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
  return (
    <FormDialog
      busy={create.isPending}
      onClose={onClose}
      onSubmit={() =>
        create.mutate({
          name: name.trim(),
          scopes: [...scopes],
          ...(expiresAt === undefined ? {} : { expiresAt }),
          ...(user === undefined ? {} : { userId: user.id }),
        })
      }
      problem={<FormProblem error={create.error} fields={names} />}
      submit="Create token"
      title={user === undefined ? 'Create token' : `Create token for ${isolateText(userName(user))}`}
    >
      <TextField
        {...field('name', 'Enter a name.')}
        hint="What is this token for?"
        label="Name"
        autoFocus
        placeholder="nightly script"
      />
      <ScopesField missing={scopes.length === 0 ? 'Choose at least one scope.' : undefined}>
        {SCOPES.filter(({ scope }) => user === undefined || scope !== 'owner').map(({ scope, label, hint }) => (
          <Checkbox
            checked={scopes.includes(scope)}
            hint={hint}
            key={scope}
            label={label}
            onChange={(on) =>
              setScopes((before) => (on ? [...before, scope] : before.filter((each) => each !== scope)))
            }
          />
        ))}
      </ScopesField>
      <SelectField {...field('days')} label="Expiration" options={LIFETIMES} />
    </FormDialog>
  );
}

function ScopesField({ missing, children }: { missing: string | undefined; children: ReactNode }) {
  const message = useMissing(missing);
  return (
    <fieldset className="flex flex-col gap-2" data-missing={missing}>
      <legend className="mb-1 font-medium">Scopes</legend>
      {message === undefined ? null : (
        <p className="text-sm text-failed" role="alert">
          {message}
        </p>
      )}
      {children}
    </fieldset>
  );
}
