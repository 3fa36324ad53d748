import type { Session } from '@agent-console/shared/models/session';
import { openDialog } from '../../shell/dialogs.ts';
import { UntrustedText } from '../../ui/UntrustedText.tsx';
import { InspectorSection } from '../sessions/inspector/properties.tsx';

export function LabelsSection({ session: { id, labels, archivedAt } }: { session: Session }) {
  if (archivedAt !== null && labels.length === 0) return null;
  return (
    <InspectorSection
      aside={
        archivedAt !== null ? undefined : (
          <button
            className="rounded px-1 text-quiet hover:bg-hover hover:text-text max-md:min-h-9"
            onClick={() => openDialog({ kind: 'labels', sessionIds: [id] })}
            type="button"
          >
            {labels.length === 0 ? 'Add' : 'Change'}
            <span className="sr-only"> labels</span>
          </button>
        )
      }
      title="Labels"
    >
      {labels.length === 0 ? null : (
        <ul className="flex flex-wrap gap-1">
          {labels.map((label) => (
            <li className="max-w-full truncate rounded-full border border-line px-2 text-sm leading-5" key={label}>
              <UntrustedText text={label} />
            </li>
          ))}
        </ul>
      )}
    </InspectorSection>
  );
}
