import type { OrchestrationDefinition, OrchestrationPlan } from '@agent-console/shared/models/orchestration-definition';
import { useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { Problem } from '../../ui/Problem.tsx';
import { UntrustedBlock } from '../../ui/UntrustedText.tsx';
import { defaultsOf, type EnteredValues, isMissing, valuesOf } from './definition-values.ts';
import { ParameterField } from './ParameterField.tsx';
import { PlanView } from './PlanView.tsx';
import type { RunForm, RunHandlers } from './run-form.ts';

/**
 * Form for a run from a definition: the parameters of the definition, and the plan, which a person sees before any
 * agent starts.
 * @param definition undefined if the run is not created from a definition
 */
export function useDefinitionRun(
  definition: OrchestrationDefinition | undefined,
  repositoryId: string,
  startsNow: boolean,
  handlers: RunHandlers,
): RunForm {
  const [entered, setEntered] = useState<Readonly<Record<string, EnteredValues>>>({});
  /**
   * The plan, and the input from which the console made it. After a change of the input, the plan is no longer used.
   */
  const [planned, setPlanned] = useState<{ plan: OrchestrationPlan; key: string }>();
  const name = definition?.name ?? '';
  const parameters = definition?.parameters ?? [];
  const values = { ...(definition === undefined ? {} : defaultsOf(definition)), ...entered[name] };
  const input = { definition: name, repositoryId, parameters: valuesOf(parameters, values) };
  const key = JSON.stringify(input);
  const run = useOperationMutation('orchestrations.run', {
    onSuccess: ({ plan, orchestration }) => {
      if (orchestration !== null) handlers.onCreated(orchestration);
      if (plan !== null) setPlanned({ plan, key });
    },
    onLateSuccess: ({ orchestration }) => {
      if (orchestration !== null) handlers.onCreatedLate(orchestration);
    },
    onLateError: handlers.onLateError,
  });
  const plan = planned?.key === key ? planned.plan : undefined;
  const send = () => {
    if (plan === undefined) run.mutate({ ...input, dryRun: true });
    else run.mutate({ ...input, contentHash: plan.contentHash, start: startsNow });
  };
  const fields =
    definition === undefined ? null : (
      <>
        {definition.description === '' ? null : <UntrustedBlock className="text-quiet" text={definition.description} />}
        {parameters.map((parameter) => (
          <ParameterField
            isMissing={isMissing(parameter, values)}
            key={`${name} ${parameter.name}`}
            onChange={(value) =>
              setEntered((before) => ({ ...before, [name]: { ...before[name], [parameter.name]: value } }))
            }
            parameter={parameter}
            value={values[parameter.name] ?? ''}
          />
        ))}
        {plan === undefined ? null : <PlanView plan={plan} />}
        {plan === undefined || plan.isAccepted ? null : (
          <p className="text-needs">
            This version of the definition has not been accepted for this repository yet. If you run it, you accept it,
            and agents may then run it too.
          </p>
        )}
      </>
    );
  return {
    fields,
    submit: plan === undefined ? 'Show plan' : startsNow ? 'Start run' : 'Create run',
    isBusy: run.isPending,
    problem: <Problem error={run.error} />,
    send,
  };
}
