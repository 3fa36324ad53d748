import { PROMPT_MAX_BYTES } from '@agent-console/shared/limits/texts';
import { Field, TextArea } from './Field.tsx';

const encoder = new TextEncoder();

/** Prompt field that shows its size in bytes, the unit of the limit. */
export function PromptField(props: {
  label?: string;
  value: string;
  optional?: boolean;
  error?: string | undefined;
  missing?: string | undefined;
  hint?: string;
  rows?: number;
  autoFocus?: boolean;
  onChange(text: string): void;
}) {
  const {
    label = 'Prompt',
    value,
    optional = false,
    error,
    missing,
    hint,
    rows = 6,
    autoFocus = false,
    onChange,
  } = props;
  const bytes = encoder.encode(value).length;
  return (
    <Field
      aside={
        <span className={`tabular-nums ${bytes > PROMPT_MAX_BYTES ? 'text-failed' : ''}`}>
          {bytes.toLocaleString()} of {PROMPT_MAX_BYTES.toLocaleString()} bytes
        </span>
      }
      error={error}
      hint={hint}
      label={label}
      missing={missing}
      optional={optional}
    >
      {(control) => (
        <TextArea
          {...control}
          autoFocus={autoFocus}
          onChange={(event) => onChange(event.target.value)}
          rows={rows}
          value={value}
        />
      )}
    </Field>
  );
}
