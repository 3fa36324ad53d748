export function CutNote({ className = '' }: { className?: string }) {
  return <p className={`text-sm text-quiet ${className}`}>A part of this message was too large and is not stored.</p>;
}
