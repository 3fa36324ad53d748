import { type ComponentProps, createContext, type ReactNode, useContext, useId } from 'react';

export const CONTROL =
  'w-full min-w-0 rounded-md border border-line-strong bg-bg px-2 max-md:text-[16px] placeholder:text-quiet disabled:opacity-60 aria-invalid:border-failed';

/**
 * Line height and padding in pixels, for computing the minimum height. The attribute `rows` has no effect with
 * `field-sizing: content`.
 */
const LINE_PX = 20;
const EDGES_PX = 14;

/** Whether the surrounding form was submitted while a required field was empty. */
export const SubmitAttempted = createContext(false);

/**
 * Returns the message for an empty required field after the first attempt to submit the form. The caller sets
 * `data-missing` on the field's container, so that `FormDialog` finds the field.
 */
export function useMissing(missing: string | undefined): string | undefined {
  return useContext(SubmitAttempted) ? missing : undefined;
}

/** Props that connect a control to its label, hint and error. */
export interface ControlProps {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean | undefined;
}

export interface FieldProps {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  /** Error message for an empty required field; undefined for any other field. */
  missing?: string | undefined;
  optional?: boolean | undefined;
  aside?: ReactNode;
}

export function Field(props: FieldProps & { children(control: ControlProps): ReactNode }) {
  const { label, hint, error: refusal, missing, optional = false, aside, children } = props;
  const id = useId();
  const descriptionId = `${id}-about`;
  const missingMessage = useMissing(missing);
  const error = refusal ?? missingMessage;
  const hasDescription = hint !== undefined || error !== undefined;
  return (
    <div className="flex min-w-0 flex-col gap-1" data-missing={missing}>
      <div className="flex items-baseline gap-2">
        <label className="font-medium" htmlFor={id}>
          {label}
        </label>
        {optional ? <span className="text-sm text-quiet">optional</span> : null}
        {aside === undefined ? null : <span className="ml-auto text-sm text-quiet">{aside}</span>}
      </div>
      {children({
        id,
        'aria-describedby': hasDescription ? descriptionId : undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {hasDescription ? (
        <div className="text-sm text-quiet" id={descriptionId}>
          {error === undefined ? null : <p className="text-failed">{error}</p>}
          {hint}
        </div>
      ) : null}
    </div>
  );
}

/** Single-line text field; `mono` is for names and commands. */
export function TextInput({ mono = false, className = '', ...rest }: ComponentProps<'input'> & { mono?: boolean }) {
  return (
    <input
      autoCapitalize="off"
      autoComplete="off"
      autoCorrect="off"
      className={`${CONTROL} h-8 max-md:h-10 ${mono ? 'font-mono text-sm' : ''} ${className}`}
      spellCheck={false}
      type="text"
      {...rest}
    />
  );
}

/** Multi-line text field that grows with its content, up to half of the window height. */
export function TextArea(props: ComponentProps<'textarea'> & { mono?: boolean; rows?: number }) {
  const { mono = false, rows = 2, className = '', ...rest } = props;
  return (
    <textarea
      dir="auto"
      className={`${CONTROL} field-sizing-content max-h-[50vh] resize-none py-1.5 ${mono ? 'font-mono text-sm' : ''} ${className}`}
      rows={rows}
      style={{ minHeight: rows * LINE_PX + EDGES_PX }}
      {...rest}
    />
  );
}

export function TextField(
  props: FieldProps & Omit<ComponentProps<typeof TextInput>, 'onChange'> & { onChange(text: string): void },
) {
  const { label, hint, error, missing, optional, onChange, ...input } = props;
  return (
    <Field error={error} hint={hint} label={label} missing={missing} optional={optional}>
      {(control) => <TextInput {...control} {...input} onChange={(event) => onChange(event.target.value)} />}
    </Field>
  );
}

/** Field with a multi-line text control. */
export function TextAreaField(
  props: FieldProps & Omit<ComponentProps<typeof TextArea>, 'onChange'> & { onChange(text: string): void },
) {
  const { label, hint, error, missing, optional, aside, onChange, ...area } = props;
  return (
    <Field aside={aside} error={error} hint={hint} label={label} missing={missing} optional={optional}>
      {(control) => <TextArea {...control} {...area} onChange={(event) => onChange(event.target.value)} />}
    </Field>
  );
}

export function Checkbox(props: {
  label: string;
  hint?: ReactNode;
  checked: boolean;
  onChange(checked: boolean): void;
}) {
  const { label, hint, checked, onChange } = props;
  const id = useId();
  return (
    <div className="grid grid-cols-[16px_1fr] gap-x-2">
      <input
        aria-describedby={hint === undefined ? undefined : `${id}-about`}
        checked={checked}
        className="mt-0.5 size-4 accent-accent"
        id={id}
        onChange={(event) => onChange(event.target.checked)}
        type="checkbox"
      />
      <label className="w-fit" htmlFor={id}>
        {label}
      </label>
      {hint === undefined ? null : (
        <p className="col-start-2 text-sm text-quiet" id={`${id}-about`}>
          {hint}
        </p>
      )}
    </div>
  );
}

export function RadioGroup<V extends string>(props: {
  label: string;
  value: NoInfer<V>;
  options: readonly { value: V; label: string }[];
  onChange(value: NoInfer<V>): void;
}) {
  const { label, value, options, onChange } = props;
  const name = useId();
  return (
    <fieldset className="flex w-fit max-w-full flex-wrap gap-0.5 rounded-lg border border-line bg-sunken p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          className="cursor-pointer rounded-md border border-transparent px-2.5 py-0.5 text-quiet has-checked:border-line has-checked:bg-bg has-checked:text-text has-focus-visible:outline-2 has-focus-visible:outline-focus max-md:py-1.5"
          key={option.value}
        >
          <input
            checked={option.value === value}
            className="sr-only"
            name={name}
            onChange={() => onChange(option.value)}
            type="radio"
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}
