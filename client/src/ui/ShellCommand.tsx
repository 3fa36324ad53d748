export function ShellCommand({ children }: { children: string }) {
  return (
    <code className="min-w-0 max-w-full select-all whitespace-pre-wrap break-words rounded-md border border-line bg-raised px-2 py-1 font-mono text-sm text-text">
      {children}
    </code>
  );
}
