import { UntrustedLine } from './UntrustedText.tsx';
/** Progress bar; `fraction` from 0 to 1, or undefined if unknown. */
export function Progress({ fraction, label }: { fraction: number | undefined; label: string }) {
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex justify-between gap-3">
        <UntrustedLine className="first-letter:uppercase" text={label} />
        {fraction === undefined ? null : (
          <span className="tabular-nums text-quiet">{Math.round(fraction * 100)} %</span>
        )}
      </div>
      <progress
        aria-label={label}
        className="h-1.5 w-full accent-accent"
        max={1}
        {...(fraction === undefined ? {} : { value: fraction })}
      />
    </div>
  );
}
