import { Select as Base } from '@base-ui/react/select';
import type { ComponentProps } from 'react';
import { CONTROL, type ControlProps, Field, type FieldProps } from './Field.tsx';
import { escapeHidden } from './hidden-characters.ts';
import { Icon } from './Icon.tsx';
import { MENU_ITEM, POPUP } from './popup.ts';
import { UntrustedLine } from './UntrustedText.tsx';

export interface Option {
  value: string;
  label: string;
  note?: string;
  disabled?: boolean;
}

export function Select(
  props: Partial<ControlProps> & {
    value: string;
    options: readonly Option[];
    disabled?: boolean;
    onChange(value: string): void;
  },
) {
  const { value, options, disabled = false, onChange, ...control } = props;
  const chosen = options.find((option) => option.value === value);
  return (
    <Base.Root disabled={disabled} onValueChange={(next) => onChange(next ?? '')} value={value}>
      <Base.Trigger {...control} className={`${CONTROL} flex h-8 items-center gap-2 text-left max-md:h-10`}>
        <Base.Value className="min-w-0 flex-1 truncate">
          {chosen === undefined ? <span className="text-quiet">Choose…</span> : <UntrustedLine text={chosen.label} />}
        </Base.Value>
        <span className="text-sm text-quiet">{chosen?.note}</span>
        <Chevron />
      </Base.Trigger>
      <Options options={options} />
    </Base.Root>
  );
}

/** Select that is placed within a line of text. Its options have short names. */
export function InlineSelect(props: {
  label: string;
  /** Text before the value, for a value that is not clear without it. */
  prefix?: string;
  value: string;
  options: readonly Option[];
  busy?: boolean;
  onChange(value: string): void;
}) {
  const { label, prefix = '', value, options, busy = false, onChange } = props;
  const chosen = options.find((option) => option.value === value);
  return (
    <Base.Root onValueChange={(next) => next !== null && next !== value && onChange(next)} value={value}>
      <Base.Trigger
        aria-busy={busy || undefined}
        aria-label={`${escapeHidden(label)}: ${escapeHidden(chosen?.label ?? value)}`}
        className="flex h-6 min-w-0 max-w-60 shrink-0 items-center gap-1 rounded-md px-1.5 text-sm text-quiet hover:bg-hover hover:text-text aria-busy:opacity-60 data-popup-open:bg-hover max-md:h-10"
        title={escapeHidden(label)}
      >
        <UntrustedLine text={`${prefix}${chosen?.label ?? value}`} />
        <Chevron />
      </Base.Trigger>
      <Options options={options} />
    </Base.Root>
  );
}

function Options({ options }: { options: readonly Option[] }) {
  return (
    <Base.Portal>
      <Base.Positioner alignItemWithTrigger={false} className="z-60 outline-none" sideOffset={4}>
        <Base.Popup className={`${POPUP} min-w-(--anchor-width)`}>
          <Base.List>
            {options.map((option) => (
              <Base.Item
                className={MENU_ITEM}
                disabled={option.disabled ?? false}
                key={option.value}
                label={option.label}
                value={option.value}
              >
                <Base.ItemText className="min-w-0 flex-1">
                  <UntrustedLine text={option.label} />
                </Base.ItemText>
                <span className="shrink-0 text-sm text-quiet">{option.note}</span>
                <span aria-hidden="true" className="w-3 text-right">
                  <Base.ItemIndicator>✓</Base.ItemIndicator>
                </span>
              </Base.Item>
            ))}
          </Base.List>
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  );
}

export function SelectField(props: Omit<FieldProps, 'missing'> & ComponentProps<typeof Select>) {
  const { label, hint, error, optional, ...select } = props;
  return (
    <Field error={error} hint={hint} label={label} optional={optional}>
      {(control) => <Select {...control} {...select} />}
    </Field>
  );
}

export function Chevron() {
  return (
    <Icon className="shrink-0 text-quiet" size={12}>
      <path d="M3 4.5l3 3 3-3" />
    </Icon>
  );
}
