/** Instructions for browsers that are not logged in. */
export function LoginPage({ problem }: { problem: string | undefined }) {
  return (
    <main className="mx-auto flex h-full max-w-md flex-col justify-center gap-3 p-6">
      <h1 className="text-lg font-semibold">Agent Console</h1>
      {problem === undefined ? null : (
        <p className="rounded-md bg-failed-bg px-3 py-2 text-failed" role="alert">
          {problem}
        </p>
      )}
      <p>
        To log in, run{' '}
        <code className="rounded border border-line bg-raised px-1 font-mono text-sm">npx agent-console open</code> in
        your clone of Agent Console, on the machine that runs it.
      </p>
      <p className="text-quiet">The command opens this page with a one-time link that expires after a minute.</p>
    </main>
  );
}
