import type { ReactNode } from 'react';
import { Skeleton } from './Skeleton.tsx';

export function Page(props: { title: ReactNode; lead?: ReactNode; actions?: ReactNode; children: ReactNode }) {
  const { title, lead, actions, children } = props;
  return (
    <main className="h-full overflow-y-auto">
      <div className="mx-auto flex min-h-full max-w-240 flex-col gap-4 px-4 py-4 md:px-8 md:py-6">
        <header className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <div className="min-w-0 flex-1 basis-50">
            <h1 className="truncate text-lg font-semibold">{title}</h1>
            {lead === undefined ? null : <div className="break-words text-quiet">{lead}</div>}
          </div>
          {actions === undefined ? null : <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
        {children}
      </div>
    </main>
  );
}

export function Section(props: { title: string; lead?: ReactNode; aside?: ReactNode; children: ReactNode }) {
  const { title, lead, aside, children } = props;
  return (
    <section aria-label={title} className="flex flex-col gap-3 border-t border-line pt-4">
      <header className="flex flex-wrap items-center gap-2">
        <div className="min-w-0 flex-1">
          <h2 className="font-semibold">{title}</h2>
          {lead === undefined ? null : <p className="text-quiet">{lead}</p>}
        </div>
        {aside}
      </header>
      {children}
    </section>
  );
}

export function LoadingPage() {
  return (
    <main className="p-6">
      <Skeleton />
    </main>
  );
}
