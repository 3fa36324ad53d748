import type { ToolKind } from '@agent-console/shared/models/tool-kind';
import { Icon } from '../../ui/Icon.tsx';

const PATHS: Record<ToolKind | 'plan', string> = {
  plan: 'M2.5 4.5l1 1 2-2M2.5 11l1 1 2-2M8 4.5h5.5M8 11h5.5',
  read: 'M4 2.5h5.5L12 5v8.5H4zM6 7h4M6 9.5h4',
  edit: 'M3 13l.6-2.8L10.8 3a1 1 0 0 1 1.4 0l.8.8a1 1 0 0 1 0 1.4L5.8 12.4zM9.5 4.5l2 2',
  delete: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.5 8.5h6l.5-8.5M7 7v3.5M9 7v3.5',
  move: 'M2.5 8h10M9.5 5l3 3-3 3',
  search: 'M7 2.8a4.2 4.2 0 1 1 0 8.4a4.2 4.2 0 0 1 0-8.4zM10.2 10.2l3 3',
  execute: 'M3 4.5l3 3-3 3M8 11.5h5',
  think: 'M6 11.5h4M6.5 13.5h3M6 11.5c0-1.5-2-2.2-2-4.6a4 4 0 0 1 8 0c0 2.4-2 3.1-2 4.6',
  fetch: 'M8 2.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 0 1 0-11zM2.5 8h11M8 2.5c-3.6 3.2-3.6 7.8 0 11c3.6-3.2 3.6-7.8 0-11z',
  switch_mode: 'M3 5.5h8M8.5 3l2.5 2.5L8.5 8M13 10.5H5M7.5 8L5 10.5 7.5 13',
  other: 'M10.5 2.8a3 3 0 0 0-3.6 3.9L2.8 10.8l2.4 2.4 4.1-4.1a3 3 0 0 0 3.9-3.6l-1.9 1.9-1.8-.8-.8-1.8z',
};

const LABELS: Record<ToolKind | 'plan', string> = {
  plan: 'Plan',
  read: 'Read',
  edit: 'Edit',
  delete: 'Delete',
  move: 'Move',
  search: 'Search',
  execute: 'Run',
  think: 'Think',
  fetch: 'Fetch',
  switch_mode: 'Switch mode',
  other: 'Tool',
};

export function ToolIcon({ kind }: { kind: ToolKind | 'plan' }) {
  return (
    <span className="mt-0.5 shrink-0 text-quiet" title={LABELS[kind]}>
      <Icon size={16} strokeLinecap="round" strokeLinejoin="round" strokeWidth="1.25">
        <path d={PATHS[kind]} />
      </Icon>
    </span>
  );
}
