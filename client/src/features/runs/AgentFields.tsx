import { ATTEMPTS_MAX, ORCHESTRATION_AGENTS_MAX } from '@agent-console/shared/limits/orchestrations';
import type { OrchestrationStrategy } from '@agent-console/shared/models/orchestration';
import { Button } from '../../ui/Button.tsx';
import { Checkbox, TextAreaField, TextField } from '../../ui/Field.tsx';
import { SelectField } from '../../ui/Select.tsx';
import { UntrustedText } from '../../ui/UntrustedText.tsx';
import { agentOption, useAgents } from '../settings/AgentField.tsx';
import { type AgentDraft, hasDependencies } from './agent-drafts.ts';

export function AgentFields(props: {
  /** Number of the agent in a form for several agents, starting at 1; undefined in a form for one agent. */
  number?: number;
  draft: AgentDraft;
  strategy: OrchestrationStrategy;
  /** Name that the agent gets if none is entered. */
  defaultName: string;
  /** Agents that this agent can wait for. */
  others: readonly { id: string; name: string }[];
  onChange(change: Partial<AgentDraft>): void;
  onRemove?: (() => void) | undefined;
}) {
  const { number, draft, strategy, others, onChange, onRemove } = props;
  const { data } = useAgents();
  const agents = (data?.data ?? []).filter(({ installed }) => installed);
  return (
    <fieldset
      className={`flex min-w-0 flex-col gap-3 ${number === undefined ? '' : 'rounded-lg border border-line bg-sunken p-3'}`}
    >
      <legend className="sr-only">{number === undefined ? 'Agent' : `Agent ${number}`}</legend>
      {number === undefined ? null : (
        <div className="flex items-center gap-2">
          <span aria-hidden className="flex-1 font-semibold">
            Agent {number}
          </span>
          {onRemove === undefined ? null : (
            <Button aria-label={`Remove agent ${number}`} kind="quiet" onClick={onRemove}>
              Remove
            </Button>
          )}
        </div>
      )}
      <div className="grid gap-3 md:grid-cols-2">
        <TextField
          label="Role"
          missing={draft.role.trim() === '' ? 'Enter a role.' : undefined}
          mono
          onChange={(role) => onChange({ role })}
          placeholder="reviewer"
          value={draft.role}
        />
        <TextField
          label="Name"
          mono
          onChange={(name) => onChange({ name })}
          optional
          placeholder={props.defaultName}
          value={draft.name}
        />
      </div>
      <TextAreaField
        label="Task"
        missing={draft.task.trim() === '' ? 'Enter a task.' : undefined}
        onChange={(task) => onChange({ task })}
        rows={3}
        value={draft.task}
      />
      {hasDependencies(strategy) && others.length > 0 ? (
        <Dependencies draft={draft} onChange={onChange} others={others} />
      ) : null}
      {strategy === 'pipeline' ? (
        <TextField
          className="md:w-24"
          label="Stage"
          max={ORCHESTRATION_AGENTS_MAX}
          min={1}
          onChange={(stage) => onChange({ stage })}
          type="number"
          value={draft.stage}
        />
      ) : null}
      <details>
        <summary className="w-fit cursor-pointer rounded text-quiet hover:text-text max-md:py-2.5">
          More options
        </summary>
        <div className="flex flex-col gap-3 pt-3">
          <div className="grid gap-3 md:grid-cols-2">
            <SelectField
              label="Agent"
              onChange={(agenticTool) => onChange({ agenticTool })}
              options={[{ value: '', label: 'Default agent' }, ...agents.map(agentOption)]}
              value={draft.agenticTool}
            />
            <TextField
              label="Maximum attempts"
              max={ATTEMPTS_MAX}
              min={1}
              onChange={(maxAttempts) => onChange({ maxAttempts })}
              type="number"
              value={draft.maxAttempts}
            />
          </div>
          <Checkbox
            checked={draft.allowFailure}
            label="Run agents that depend on this agent even if it fails"
            onChange={(allowFailure) => onChange({ allowFailure })}
          />
        </div>
      </details>
    </fieldset>
  );
}

/** Toggles that choose the agents for which this agent waits. */
function Dependencies(props: {
  draft: AgentDraft;
  others: readonly { id: string; name: string }[];
  onChange(change: Partial<AgentDraft>): void;
}) {
  const { draft, others, onChange } = props;
  const toggle = (id: string) =>
    onChange({ after: draft.after.includes(id) ? draft.after.filter((each) => each !== id) : [...draft.after, id] });
  return (
    <fieldset className="flex max-h-30 flex-wrap items-center gap-1 overflow-y-auto">
      <legend className="float-left mr-2 font-medium">Runs after these agents</legend>
      {others.map(({ id, name }) => (
        <button
          aria-pressed={draft.after.includes(id)}
          className="h-6 max-w-full rounded-md border border-line bg-bg px-2 font-mono text-sm text-quiet hover:text-text aria-pressed:border-accent aria-pressed:text-accent max-md:h-10"
          key={id}
          onClick={() => toggle(id)}
          type="button"
        >
          <UntrustedText text={name} />
        </button>
      ))}
    </fieldset>
  );
}
