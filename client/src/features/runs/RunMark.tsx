/** Icon that marks a session as an agent of a run. */
export function RunMark() {
  return (
    <svg
      aria-hidden="true"
      className="mr-1 shrink-0 self-center text-quiet"
      fill="none"
      height="12"
      stroke="currentColor"
      strokeWidth="1.2"
      viewBox="0 0 12 12"
      width="12"
    >
      <title>Agent of a run</title>
      <rect height="3.5" rx="1" width="3.5" x="0.75" y="4.25" />
      <rect height="3.5" rx="1" width="3.5" x="7.75" y="0.75" />
      <rect height="3.5" rx="1" width="3.5" x="7.75" y="7.75" />
      <path d="M4.25 6H6V2.5h1.75M6 6v3.5h1.75" />
    </svg>
  );
}
