import type { DefinitionParameter } from '@agent-console/shared/models/orchestration-definition';
import { Checkbox, TextAreaField, TextField } from '../../ui/Field.tsx';
import { SelectField } from '../../ui/Select.tsx';
import { UntrustedText } from '../../ui/UntrustedText.tsx';
import { labelOfParameter } from './definition-values.ts';

export function ParameterField(props: {
  parameter: DefinitionParameter;
  value: string;
  isMissing: boolean;
  onChange(value: string): void;
}) {
  const { parameter, value, isMissing, onChange } = props;
  const { name, type, description, required, choices, min, max } = parameter;
  const label = labelOfParameter(name);
  const hint = description === '' ? undefined : <UntrustedText text={description} />;
  const common = {
    label,
    optional: !required,
    missing: isMissing ? `Enter a value for ${label}.` : undefined,
    value,
    onChange,
  };
  switch (type) {
    case 'boolean':
      return (
        <Checkbox
          checked={value === 'true'}
          hint={hint}
          label={label}
          onChange={(checked) => onChange(String(checked))}
        />
      );
    case 'choice':
      return (
        <SelectField
          hint={hint}
          label={label}
          onChange={onChange}
          optional={!required}
          options={(choices ?? []).map((choice) => ({ value: choice, label: choice }))}
          value={value}
        />
      );
    case 'number':
      return (
        <TextField
          {...common}
          className="md:w-40"
          hint={hint}
          max={max ?? undefined}
          min={min ?? undefined}
          type="number"
        />
      );
    case 'list':
      return (
        <TextAreaField {...common} hint={<>One value per line.{hint === undefined ? null : <> {hint}</>}</>} rows={2} />
      );
    default:
      return <TextAreaField {...common} hint={hint} rows={required ? 2 : 1} />;
  }
}
