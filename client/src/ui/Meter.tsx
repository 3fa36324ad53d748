import './meter.css';

/** Thin bar that shows a value. With `high`, the bar has the colour of things that need a person. */
export function Meter(props: { label: string; value: number; max: number; high?: boolean; className: string }) {
  const { label, value, max, high = false, className } = props;
  return (
    <progress
      aria-label={label}
      className={`meter shrink-0 ${high ? 'meter-high' : ''} ${className}`}
      max={max}
      value={value}
    />
  );
}
