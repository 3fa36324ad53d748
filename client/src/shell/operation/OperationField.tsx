import { Suggest } from '../../ui/Combobox.tsx';
import { Checkbox, Field, TextArea, TextInput } from '../../ui/Field.tsx';
import { type Option, Select } from '../../ui/Select.tsx';
import type { FormField } from './fields.ts';

export function OperationField(props: {
  field: FormField;
  value: string | null | undefined;
  error: string | undefined;
  missing: string | undefined;
  ids: readonly Option[];
  autoFocus: boolean;
  onChange(value: string | null | undefined): void;
}) {
  const { field, value, error, missing, ids, autoFocus, onChange } = props;
  const { name, kind, nullable, required, choices, description, fallback } = field;
  const text = value ?? '';
  const off = value === null;
  const hint = [
    description,
    kind === 'list' ? 'One value per line' : undefined,
    kind === 'list' && choices.length > 0 ? `Possible values: ${choices.join(', ')}` : undefined,
    fallback === undefined ? undefined : `Default: ${fallback}`,
  ].filter((part) => part !== undefined);
  return (
    <div className="flex flex-col gap-1.5">
      <Field
        error={error}
        hint={hint.length === 0 ? undefined : hint.join(' · ')}
        label={name}
        missing={missing}
        optional={!required}
      >
        {(control) => {
          if (kind === 'boolean' || kind === 'choice') {
            const words = kind === 'boolean' ? ['true', 'false'] : choices;
            const options = words.map((word) => ({ value: word, label: word }));
            return (
              <Select
                {...control}
                disabled={off}
                onChange={onChange}
                options={required ? options : [{ value: '', label: 'Default' }, ...options]}
                value={text}
              />
            );
          }
          if (ids.length > 0)
            return <Suggest {...control} autoFocus={autoFocus} onChange={onChange} options={ids} value={text} />;
          const common = { ...control, autoFocus, disabled: off, value: text, mono: true };
          return kind === 'text' || kind === 'list' ? (
            <TextArea {...common} onChange={(event) => onChange(event.target.value)} rows={2} />
          ) : (
            <TextInput
              {...common}
              inputMode={kind === 'number' ? 'decimal' : 'text'}
              onChange={(event) => onChange(event.target.value)}
            />
          );
        }}
      </Field>
      {nullable ? (
        <Checkbox checked={off} label="None (null)" onChange={(none) => onChange(none ? null : undefined)} />
      ) : null}
    </div>
  );
}
