import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { OrchestrationStatus } from '@agent-console/shared/models/orchestration';
import type { OrchestrationDefinition } from '@agent-console/shared/models/orchestration-definition';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useOperationQuery } from '../../api/operations.ts';
import type { DialogBodyProps } from '../../shell/dialogs.ts';
import { FormDialog } from '../../ui/Dialog.tsx';
import { Checkbox } from '../../ui/Field.tsx';
import { firstLine } from '../../ui/first-line.ts';
import { isolateText } from '../../ui/hidden-characters.ts';
import { Problem } from '../../ui/Problem.tsx';
import { SelectField } from '../../ui/Select.tsx';
import { failureToast, toast } from '../../ui/toasts.ts';
import { UntrustedText } from '../../ui/UntrustedText.tsx';
import { RepositoryField, useUsualRepository } from '../repositories/RepositoryField.tsx';
import { showRun } from './run-actions.ts';
import type { RunHandlers } from './run-form.ts';
import { useDefinitionRun } from './use-definition-run.tsx';
import { useOwnRun } from './use-own-run.tsx';

/** Value of the option "Enter the agents yourself". Every other option is a definition. */
const OWN = '';

/** Dialog that creates a run, from a definition or from agents that are entered one by one. */
export default function NewRunDialog({ request, onClose }: DialogBodyProps<'newRun'>) {
  const navigate = useNavigate();
  const only = useUsualRepository();
  const [chosen, setChosen] = useState(request.repositoryId ?? '');
  const [key, setKey] = useState(OWN);
  const [startsNow, setStartsNow] = useState(true);
  const repositoryId = chosen || only;
  const definitions = useOperationQuery('orchestrations.definitions', {
    limit: PAGE_MAX,
    ...(repositoryId === '' ? {} : { repositoryId }),
  });
  const known = definitions.data?.data ?? [];
  const definition = known.find((each) => keyOf(each) === key);
  const open = ({ id }: OrchestrationStatus) => void navigate({ to: '/runs/$runId', params: { runId: id } });
  const handlers: RunHandlers = {
    onCreated(run) {
      showRun(run);
      onClose();
      open(run);
    },
    onCreatedLate: (run) =>
      toast({
        kind: 'plain',
        title: `Run created: ${isolateText(firstLine(run.objective))}`,
        action: { label: 'Open', run: () => open(run) },
      }),
    onLateError: failureToast('Could not create the run'),
  };
  const own = useOwnRun(repositoryId, startsNow, handlers);
  const defined = useDefinitionRun(definition, repositoryId, startsNow, handlers);
  const form = definition === undefined ? own : defined;
  return (
    <FormDialog
      busy={form.isBusy}
      hint={<Checkbox checked={startsNow} label="Start the run at once" onChange={setStartsNow} />}
      onClose={onClose}
      onSubmit={form.send}
      problem={form.problem}
      submit={form.submit}
      title="New run"
      width="wide"
    >
      <div className="grid gap-4 md:grid-cols-2">
        <RepositoryField
          missing={repositoryId === '' ? 'Choose a repository.' : undefined}
          onChange={setChosen}
          value={repositoryId}
        />
        <SelectField
          label="Agents"
          onChange={setKey}
          options={[
            { value: OWN, label: 'Enter the agents yourself' },
            ...known.map((each) => ({
              value: keyOf(each),
              label: each.name,
              note: noteOf(each),
              disabled: each.problems.length > 0,
            })),
          ]}
          value={definition === undefined ? OWN : key}
        />
      </div>
      <Problem error={definitions.error} />
      <Mistakes definitions={known} />
      {form.fields}
    </FormDialog>
  );
}

/**
 * Returns the value of a definition's option. It contains the source, because a definition in a repository may have the
 * same name as a template.
 */
function keyOf({ source, name }: OrchestrationDefinition): string {
  return `${source} ${name}`;
}

function noteOf({ source, problems }: OrchestrationDefinition): string {
  if (problems.length > 0) return 'cannot run: the definition has mistakes';
  return source === 'template' ? 'template' : 'repository';
}

/** Mistakes in the repository's definitions. Definitions with mistakes cannot run. */
function Mistakes({ definitions }: { definitions: readonly OrchestrationDefinition[] }) {
  return definitions
    .filter(({ problems }) => problems.length > 0)
    .map(({ file, name, problems }) => (
      <details className="text-needs" key={file ?? name}>
        <summary className="w-fit cursor-pointer max-md:py-2.5">
          ▲ <UntrustedText className="font-mono text-sm" text={file ?? name} /> has mistakes
        </summary>
        <ul className="pl-4">
          {problems.map(({ line, column, message }) => (
            <li key={`${line} ${column} ${message}`}>
              {line}:{column} <UntrustedText text={message} />
            </li>
          ))}
        </ul>
      </details>
    ));
}
