import type { MergeConflict } from '@agent-console/shared/models/integration';
import { UntrustedLine, UntrustedText } from '../../ui/UntrustedText.tsx';
import { describeConflict, describeSide } from './wording.ts';

const SHOWN_MAX = 20;

export function ConflictList(props: { conflicts: readonly MergeConflict[]; into: string; branch: string }) {
  const { conflicts, into, branch } = props;
  const more = conflicts.length - SHOWN_MAX;
  return (
    <ul aria-label="Files in conflict" className="divide-y divide-line rounded-md border border-line bg-sunken">
      {conflicts.slice(0, SHOWN_MAX).map((conflict) => (
        <li className="flex flex-col gap-0.5 px-2.5 py-1.5" key={`${conflict.path} ${conflict.kind}`}>
          <span className="flex items-baseline gap-3">
            <UntrustedLine className="flex-1 font-mono text-sm font-medium" text={conflict.path} />
            <span className="shrink-0 text-sm text-needs">{describeConflict(conflict)}</span>
          </span>
          <span className="flex flex-wrap gap-x-3 text-sm text-quiet">
            <Side branch={into} did={describeSide(conflict.ours)} />
            <Side branch={branch} did={describeSide(conflict.theirs)} />
          </span>
        </li>
      ))}
      {more > 0 ? <li className="px-2.5 py-1.5 text-quiet">{`and ${more.toLocaleString('en')} more`}</li> : null}
    </ul>
  );
}

function Side({ branch, did }: { branch: string; did: string }) {
  return (
    <span className="min-w-0 break-words">
      {did} in <UntrustedText className="font-mono" text={branch} />
    </span>
  );
}
