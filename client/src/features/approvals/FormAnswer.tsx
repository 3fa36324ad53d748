import type { Approval, FormField, FormValue } from '@agent-console/shared/models/approval';
import { ANSWERS } from '@agent-console/shared/models/approval';
import { type FormEvent, useId } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Checkbox, TextField } from '../../ui/Field.tsx';
import { escapeHidden } from '../../ui/hidden-characters.ts';
import { SelectField } from '../../ui/Select.tsx';
import { UntrustedBlock, UntrustedText } from '../../ui/UntrustedText.tsx';
import { useEnteredValues } from './entered-values.ts';
import { type FormDraft, valuesOf } from './form-values.ts';

/** A form that an agent, or the console for a budget, asks a person to fill in. `problems` are messages by field id. */
export function FormAnswer(props: {
  approval: Approval;
  problems: Readonly<Record<string, string>>;
  /** Whether the buttons do nothing, because the form was answered or has just appeared. */
  disabled: boolean;
  busy: boolean;
  onAnswer(optionId: string, values?: Record<string, FormValue>): void;
}) {
  const { approval, problems, disabled, busy, onAnswer } = props;
  const { fields, options } = approval;
  const [draft, setDraft] = useEnteredValues(approval);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!disabled) onAnswer(ANSWERS.accept, valuesOf(fields, draft));
  };
  return (
    <form className="flex max-w-160 min-w-0 flex-col gap-3" noValidate onSubmit={send}>
      {fields.map((field, index) => (
        <FieldControl
          draft={draft}
          field={field}
          isFirst={index === 0}
          key={field.id}
          onChange={(value) => setDraft((before) => ({ ...before, [field.id]: value }))}
          problem={problems[field.id]}
        />
      ))}
      <div className="flex flex-wrap gap-1.5">
        {options.map(({ id, label }) => (
          <Button
            aria-disabled={disabled || undefined}
            busy={busy && id === ANSWERS.accept}
            className="h-8 max-md:h-11 max-md:flex-1"
            key={id}
            kind={id === ANSWERS.accept ? 'primary' : 'normal'}
            onClick={id === ANSWERS.accept || disabled ? undefined : () => onAnswer(id)}
            type={id === ANSWERS.accept ? 'submit' : 'button'}
          >
            <UntrustedText text={label} />
          </Button>
        ))}
      </div>
    </form>
  );
}

const NO_CHOICE = { value: '', label: 'None' };

function FieldControl(props: {
  field: FormField;
  draft: FormDraft;
  problem: string | undefined;
  isFirst: boolean;
  onChange(value: FormDraft[string]): void;
}) {
  const { field, draft, problem, isFirst, onChange } = props;
  const { id, type, required, secret, format, choices } = field;
  const value = draft[id];
  const text = typeof value === 'string' ? value : '';
  const label = escapeHidden(field.title);
  const hint = field.description === null ? undefined : <UntrustedBlock text={field.description} />;
  const shared = { label, error: problem, optional: !required, ...(hint === undefined ? {} : { hint }) };
  const focus = isFirst ? { 'data-answer': '' } : {};
  switch (type) {
    case 'boolean':
      return <Switch checked={value === true} field={field} onChange={onChange} problem={problem} />;
    case 'choices':
      return <Choices chosen={Array.isArray(value) ? value : []} field={field} onChange={onChange} problem={problem} />;
    case 'choice': {
      const options = required ? choices : [NO_CHOICE, ...choices];
      return <SelectField {...shared} onChange={onChange} options={options} value={text} />;
    }
    case 'number':
    case 'integer':
      return <TextField {...shared} {...focus} inputMode="decimal" onChange={onChange} value={text} />;
    case 'text': {
      const input = secret ? 'password' : format === 'email' ? 'email' : format === 'date' ? 'date' : 'text';
      const placeholder = format === 'date-time' ? { placeholder: '2026-01-31T12:00:00Z' } : {};
      return (
        <TextField
          {...shared}
          {...focus}
          {...placeholder}
          // With `new-password`, browsers do not fill in a password that they have stored for this page.
          autoComplete={secret ? 'new-password' : 'off'}
          onChange={onChange}
          type={input}
          value={text}
        />
      );
    }
  }
}

function Switch(props: {
  field: FormField;
  checked: boolean;
  problem: string | undefined;
  onChange(checked: boolean): void;
}) {
  const { field, checked, problem, onChange } = props;
  return (
    <div>
      <Checkbox
        checked={checked}
        hint={field.description === null ? undefined : <UntrustedBlock text={field.description} />}
        label={escapeHidden(field.title)}
        onChange={onChange}
      />
      {problem === undefined ? null : <p className="text-sm text-failed">{problem}</p>}
    </div>
  );
}

function Choices(props: {
  field: FormField;
  chosen: readonly string[];
  problem: string | undefined;
  onChange(chosen: string[]): void;
}) {
  const { field, chosen, problem, onChange } = props;
  const descriptionId = useId();
  const toggle = (value: string, on: boolean) =>
    onChange(field.choices.map((each) => each.value).filter((each) => (each === value ? on : chosen.includes(each))));
  return (
    <fieldset aria-describedby={descriptionId} className="flex min-w-0 flex-col gap-1">
      <legend className="mb-1 flex items-baseline gap-2 font-medium">
        {escapeHidden(field.title)}
        {field.required ? null : <span className="font-normal text-quiet text-sm">optional</span>}
      </legend>
      {field.choices.map(({ value, label }) => (
        <Checkbox
          checked={chosen.includes(value)}
          key={value}
          label={escapeHidden(label)}
          onChange={(on) => toggle(value, on)}
        />
      ))}
      <div className="text-quiet text-sm" id={descriptionId}>
        {problem === undefined ? null : <p className="text-failed">{problem}</p>}
        {field.description === null ? null : <UntrustedBlock text={field.description} />}
      </div>
    </fieldset>
  );
}
