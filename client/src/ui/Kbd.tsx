export function Kbd({ children }: { children: string }) {
  return (
    <kbd className="rounded border border-line bg-raised px-1 font-mono text-[11px] leading-4 text-quiet">
      {children}
    </kbd>
  );
}
