import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import { FormProblem, type Refusal } from './Problem.tsx';
import type { useForm } from './use-form.ts';

/** Form on a page instead of in a dialog, with save and discard buttons. */
export function SettingsForm(props: {
  form: Pick<ReturnType<typeof useForm>, 'names' | 'isChanged' | 'discard'>;
  mutation: { error: Refusal | null; isPending: boolean; isSuccess: boolean };
  onSubmit(): void;
  children: ReactNode;
}) {
  const { names, isChanged, discard } = props.form;
  const { error, isPending, isSuccess } = props.mutation;
  return (
    <form
      className="flex flex-col gap-4"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        props.onSubmit();
      }}
    >
      {props.children}
      <FormProblem error={error} fields={names} />
      <div className="flex gap-2">
        <Button busy={isPending} disabled={!isChanged} kind="primary" type="submit">
          Save
        </Button>
        {isChanged ? <Button onClick={discard}>Discard</Button> : null}
        <span className="self-center text-quiet" role="status">
          {isSuccess && !isChanged ? 'Saved' : ''}
        </span>
      </div>
    </form>
  );
}
