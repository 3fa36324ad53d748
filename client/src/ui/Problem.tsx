import type { ReactNode } from 'react';
import { UntrustedText } from './UntrustedText.tsx';

/** Error message with optional actions. */
export function Problem({ error, children }: { error: { message: string } | null | undefined; children?: ReactNode }) {
  if (error === null || error === undefined) return null;
  return (
    <div className="flex items-start gap-3 rounded-md bg-failed-bg px-3 py-2 text-failed" role="alert">
      <p className="min-w-0 flex-1 break-words">
        <UntrustedText text={error.message} />
      </p>
      {children}
    </div>
  );
}
