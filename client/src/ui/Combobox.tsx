import { Autocomplete } from '@base-ui/react/autocomplete';
import { Combobox as Base } from '@base-ui/react/combobox';
import type { ReactNode } from 'react';
import { CONTROL, type ControlProps } from './Field.tsx';
import { MENU_ITEM, POPUP } from './popup.ts';
import { Chevron, type Option } from './Select.tsx';
import { UntrustedLine } from './UntrustedText.tsx';

/** Maximum number of suggestions shown at once. Typing filters all suggestions, including those that are not shown. */
const SHOWN_MAX = 100;
const INPUT = `${CONTROL} h-8 max-md:h-10`;

interface Props extends Partial<ControlProps> {
  value: string;
  options: readonly Option[];
  placeholder?: string;
  onChange(value: string): void;
}

export function Combobox({ value, options, onChange, ...input }: Props) {
  return (
    <Base.Root
      autoHighlight
      isItemEqualToValue={(a: Option, b: Option) => a.value === b.value}
      items={options}
      itemToStringLabel={(option: Option) => option.label}
      limit={SHOWN_MAX}
      onValueChange={(option: Option | null) => onChange(option?.value ?? '')}
      value={options.find((option) => option.value === value) ?? null}
    >
      <Base.InputGroup className="relative">
        <Base.Input {...input} autoComplete="off" className={`${INPUT} pr-7 max-md:pr-10`} spellCheck={false} />
        <Base.Trigger
          aria-label="Show options"
          className="absolute inset-y-0 right-0 grid w-7 place-items-center max-md:w-10"
          tabIndex={-1}
        >
          <Chevron />
        </Base.Trigger>
      </Base.InputGroup>
      <Suggestions className="">
        <Base.Empty className="px-2 py-1 text-quiet empty:hidden">No results.</Base.Empty>
      </Suggestions>
    </Base.Root>
  );
}

export function Suggest({ value, options, onChange, ...input }: Props & { autoFocus?: boolean }) {
  return (
    <Autocomplete.Root
      filter={(option: Option, query: string) =>
        `${option.value} ${option.label}`.toLowerCase().includes(query.toLowerCase())
      }
      items={options}
      itemToStringValue={(option: Option) => option.value}
      limit={SHOWN_MAX}
      onValueChange={onChange}
      openOnInputClick
      value={value}
    >
      <Autocomplete.Input {...input} autoCapitalize="off" className={`${INPUT} font-mono text-sm`} spellCheck={false} />
      <Suggestions className="data-empty:hidden" />
    </Autocomplete.Root>
  );
}

/** Popup list of `Combobox` and `Suggest`. Base UI's `Autocomplete` uses the same parts as its `Combobox`. */
function Suggestions({ className, children }: { className: string; children?: ReactNode }) {
  return (
    <Base.Portal>
      <Base.Positioner className="z-60 outline-none" sideOffset={4}>
        <Base.Popup className={`${POPUP} w-(--anchor-width) ${className}`}>
          {children}
          <Base.List>
            {(option: Option) => (
              <Base.Item className={MENU_ITEM} key={option.value} value={option}>
                <UntrustedLine className="flex-1" text={option.label} />
                <UntrustedLine className="max-w-[55%] shrink-0 text-sm text-quiet" text={option.note ?? ''} />
              </Base.Item>
            )}
          </Base.List>
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  );
}
