import { Autocomplete } from '@base-ui/react/autocomplete';
import { Combobox as Base } from '@base-ui/react/combobox';
import { CONTROL, type ControlProps } from './Field.tsx';
import { ITEM, POPUP } from './popup.ts';
import { Chevron, type Option } from './Select.tsx';
import { UntrustedLine } from './UntrustedText.tsx';

/** Items shown at once; typing finds the others. */
const SHOWN_MAX = 100;
const INPUT = `${CONTROL} h-8 pr-7 max-md:h-10`;

/** Searchable select. */
export function Combobox({
  value,
  options,
  placeholder,
  none = 'No results.',
  onChange,
  ...control
}: Partial<ControlProps> & {
  value: string;
  options: readonly Option[];
  placeholder?: string;
  none?: string;
  onChange(value: string): void;
}) {
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
        <Base.Input {...control} autoComplete="off" className={INPUT} placeholder={placeholder} spellCheck={false} />
        <Base.Trigger
          aria-label="Show options"
          className="absolute inset-y-0 right-0 grid w-7 place-items-center"
          tabIndex={-1}
        >
          <Chevron />
        </Base.Trigger>
      </Base.InputGroup>
      <Base.Portal>
        <Base.Positioner className="z-60 outline-none" sideOffset={4}>
          <Base.Popup className={`${POPUP} w-(--anchor-width)`}>
            <Base.Empty className="px-2 py-1 text-quiet empty:hidden">{none}</Base.Empty>
            <Base.List>
              {(option: Option) => (
                <Base.Item className={ITEM} key={option.value} value={option}>
                  <Line option={option} />
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/** Text field with suggestions. */
export function Suggest({
  value,
  options,
  placeholder,
  mono = true,
  autoFocus = false,
  onChange,
  ...control
}: Partial<ControlProps> & {
  value: string;
  options: readonly Option[];
  placeholder?: string;
  mono?: boolean;
  autoFocus?: boolean;
  onChange(value: string): void;
}) {
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
      <Autocomplete.Input
        {...control}
        autoCapitalize="off"
        autoFocus={autoFocus}
        className={`${CONTROL} h-8 max-md:h-10 ${mono ? 'font-mono text-sm' : ''}`}
        placeholder={placeholder}
        spellCheck={false}
      />
      <Autocomplete.Portal>
        <Autocomplete.Positioner className="z-60 outline-none" sideOffset={4}>
          <Autocomplete.Popup className={`${POPUP} w-(--anchor-width) data-empty:hidden`}>
            <Autocomplete.List>
              {(option: Option) => (
                <Autocomplete.Item className={ITEM} key={option.value} value={option}>
                  <Line option={option} />
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Popup>
        </Autocomplete.Positioner>
      </Autocomplete.Portal>
    </Autocomplete.Root>
  );
}

function Line({ option: { label, note } }: { option: Option }) {
  return (
    <>
      <UntrustedLine className="flex-1" text={label} />
      <UntrustedLine className="max-w-[55%] shrink-0 text-sm text-quiet" text={note ?? ''} />
    </>
  );
}
