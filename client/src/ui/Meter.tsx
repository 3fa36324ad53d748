import './meter.css';

/** `high` marks a value that needs attention. */
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
