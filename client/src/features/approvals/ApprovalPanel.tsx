import type { Approval } from '@agent-console/shared/models/approval';
import type { RefObject } from 'react';
import { Age } from '../../ui/Age.tsx';
import { Button } from '../../ui/Button.tsx';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { ApprovalAnswers } from './ApprovalAnswers.tsx';

/** What the agent of an open session asks, in a bar below its work, so that nothing of that is covered. */
export function ApprovalPanel({
  approval,
  panel,
  folded,
  onFold,
  onTerminal,
}: {
  approval: Approval;
  panel: RefObject<HTMLElement | null>;
  folded: boolean;
  onFold(folded: boolean): void;
  /** The person wants to answer with the keyboard. */
  onTerminal: () => void;
}) {
  return (
    <section
      aria-label="The agent asks"
      className="flex max-h-[60%] shrink-0 flex-col gap-2 overflow-y-auto border-t-2 border-needs bg-raised px-3 py-2"
      ref={panel}
    >
      <div className="flex items-center gap-2">
        <span aria-hidden="true" className="text-needs">
          ▲
        </span>
        <h2 className="flex min-w-0 flex-1 gap-1 font-medium">
          {folded ? <UntrustedLine text={firstLine(approval.text)} /> : 'The agent asks'}{' '}
          <Age className="shrink-0 font-normal text-quiet tabular-nums" since={approval.createdAt} />
        </h2>
        <Button kind="quiet" onClick={onTerminal} title="Answer in the terminal (i)">
          Terminal
        </Button>
        <Button aria-expanded={!folded} kind="quiet" onClick={() => onFold(!folded)}>
          {folded ? 'Show' : 'Fold'}
        </Button>
      </div>
      {folded ? null : <ApprovalAnswers approval={approval} globalKeys />}
    </section>
  );
}

function firstLine(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '') ?? '';
}
