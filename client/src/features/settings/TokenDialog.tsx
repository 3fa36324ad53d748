import type { Scope } from '@agent-console/shared/models/token';
import { type ReactNode, useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { Dialog, FormDialog } from '../../ui/Dialog.tsx';
import { Checkbox, Field, TextInput, useMissing } from '../../ui/Field.tsx';
import { FormProblem, issuesOf } from '../../ui/FormProblem.tsx';
import { Select } from '../../ui/Select.tsx';

const SCOPES: readonly { scope: Scope; label: string; hint: string }[] = [
  { scope: 'read', label: 'Read', hint: 'Sees everything you see.' },
  { scope: 'write', label: 'Write', hint: 'Prompts, delegates, starts and stops.' },
  { scope: 'owner', label: 'Owner', hint: 'Also settings, agents and tokens. Anyone who has it is you.' },
];
const DAY_MS = 86_400_000;
const LIVES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'a year' },
  { value: '', label: 'until revoked' },
];

/** Makes a token and shows its secret, this once. */
export default function TokenDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['read', 'write']);
  const [days, setDays] = useState('90');
  const create = useOperationMutation('tokens.create');
  const issues = issuesOf(create.error);
  if (create.data !== undefined) {
    const { token } = create.data;
    return (
      <Dialog
        footer={
          <div className="flex justify-end gap-2">
            <CopyButton label="Copy it" text={token} />
            <Button kind="primary" onClick={onClose}>
              Done
            </Button>
          </div>
        }
        onClose={onClose}
        title={`Token “${create.data.name}”`}
      >
        <div className="flex flex-col gap-2">
          <p>Copy it now: it is not shown again.</p>
          <code className="select-all break-all rounded-md border border-line bg-sunken p-2 font-mono text-sm">
            {token}
          </code>
          <p className="text-quiet">Send it as “Authorization: Bearer …”, never in an address.</p>
        </div>
      </Dialog>
    );
  }
  const expiresAt = days === '' ? undefined : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
  return (
    <FormDialog
      busy={create.isPending}
      onClose={onClose}
      onSubmit={() =>
        create.mutate({ name: name.trim(), scopes: [...scopes], ...(expiresAt === undefined ? {} : { expiresAt }) })
      }
      problem={<FormProblem error={create.error} fields={['name']} />}
      submit="Create"
      title="Create a token"
    >
      <Field
        error={issues.name}
        hint="What will use it."
        label="Name"
        missing={name.trim() === '' ? 'Say what will use it.' : undefined}
      >
        {(control) => (
          <TextInput
            {...control}
            autoFocus
            onChange={(event) => setName(event.target.value)}
            placeholder="nightly script"
            value={name}
          />
        )}
      </Field>
      <Rights missing={scopes.length === 0 ? 'Choose at least one.' : undefined}>
        {SCOPES.map(({ scope, label, hint }) => (
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
      </Rights>
      <Field label="Good for">
        {(control) => <Select {...control} onChange={setDays} options={LIVES} value={days} />}
      </Field>
    </FormDialog>
  );
}

function Rights({ missing, children }: { missing: string | undefined; children: ReactNode }) {
  const gap = useMissing(missing);
  return (
    <fieldset className="flex flex-col gap-2" data-missing={missing}>
      <legend className="mb-1 font-medium">May</legend>
      {gap === undefined ? null : (
        <p className="text-sm text-failed" role="alert">
          {gap}
        </p>
      )}
      {children}
    </fieldset>
  );
}
