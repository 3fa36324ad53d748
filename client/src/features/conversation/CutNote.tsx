export function CutNote({ className = '' }: { className?: string }) {
  return <p className={`text-sm text-quiet ${className}`}>The rest of this entry was too large and is not stored.</p>;
}
