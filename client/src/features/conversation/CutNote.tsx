/** Note that a message or a tool call was too large to be stored completely. */
export function CutNote({ className = '' }: { className?: string }) {
  return <p className={`text-sm text-quiet ${className}`}>The rest of this entry was too large and is not stored.</p>;
}
