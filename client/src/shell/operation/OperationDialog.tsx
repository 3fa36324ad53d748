import { FORMS } from 'virtual:operation-forms';
import type { OperationName, RequestOf } from '@agent-console/shared/operations/table';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { FormDialog } from '../../ui/Dialog.tsx';
import { FormProblem, issuesOf } from '../../ui/Problem.tsx';
import type { DialogBodyProps } from '../dialogs.ts';
import { commandOf, type FieldValues, fieldsOf, inputOf } from './fields.ts';
import { useIdOptions } from './id-options.ts';
import { OperationField } from './OperationField.tsx';
import { OperationResult } from './OperationResult.tsx';

/** Form of any operation, with its result and the equivalent CLI command. */
export default function OperationDialog({
  request: { name, input: known = {} },
  onClose,
}: DialogBodyProps<'operation'>) {
  const form = FORMS[name];
  const fields = fieldsOf(form);
  const nounOf = (field: (typeof fields)[number]) =>
    field.noun ?? (field.name === 'agentId' || (field.name === 'id' && name.startsWith('agents.')) ? 'agent' : '');
  const idsOf = useIdOptions(fields.map(nounOf));
  const navigate = useNavigate();
  const [values, setValues] = useState<FieldValues>(() =>
    Object.fromEntries(Object.entries(known).filter(([field]) => fields.some((each) => each.name === field))),
  );
  const [confirming, setConfirming] = useState(false);
  const run = useOperationMutation(name, { onSuccess: () => setConfirming(false) });
  const input = inputOf(fields, values);
  const command = commandOf(form, input);
  const isDestructive = form.effect === 'destroy';
  const issues = issuesOf(run.error);
  return (
    <FormDialog
      busy={run.isPending}
      danger={isDestructive}
      hint={
        confirming && !run.isPending ? (
          <span className="text-failed">This operation is destructive. Press Confirm to run it.</span>
        ) : (
          name
        )
      }
      onClose={onClose}
      onSubmit={() => {
        if (isDestructive && !confirming) setConfirming(true);
        else run.mutate(input as RequestOf<OperationName>);
      }}
      problem={<FormProblem error={run.error} fields={fields.map((field) => field.name)} />}
      submit={confirming ? 'Confirm' : 'Run'}
      title={form.summary}
      width="wide"
    >
      {fields.length === 0 ? <p className="text-quiet">This operation needs no input.</p> : null}
      {fields.map((field, at) => (
        <OperationField
          autoFocus={at === 0}
          error={issues[field.name]}
          field={field}
          ids={idsOf(nounOf(field))}
          key={field.name}
          missing={field.required && !(field.name in input) ? `Enter ${field.name}.` : undefined}
          onChange={(value) => {
            setConfirming(false);
            setValues((before) => ({ ...before, [field.name]: value }));
          }}
          value={values[field.name]}
        />
      ))}
      {command === undefined ? null : (
        <div className="flex flex-col gap-1">
          <span className="font-medium">Equivalent CLI command</span>
          <div className="flex items-start gap-2">
            <pre className="min-w-0 flex-1 select-all whitespace-pre-wrap break-words rounded-md border border-line bg-sunken px-2 py-1 font-mono text-sm">
              {command}
            </pre>
            <CopyButton text={command} />
          </div>
        </div>
      )}
      {run.data === undefined ? null : (
        <OperationResult
          name={name}
          onOpen={(target) => {
            onClose();
            void navigate(target);
          }}
          output={run.data}
        />
      )}
    </FormDialog>
  );
}
