import type { Approval } from '@agent-console/shared/models/approval';
import type { RefObject } from 'react';
import { Age } from '../../ui/Age.tsx';
import { Button } from '../../ui/Button.tsx';
import { GivenLine } from '../../ui/Given.tsx';
import { ApprovalAnswers } from './ApprovalAnswers.tsx';

/**
 * What the agent of an open session asks, over the top of its work: the agents' own questions stand at the bottom of
 * their screens, and a terminal that changes its size is drawn anew.
 */
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
      className="absolute inset-x-2 top-2 z-10 mx-auto flex max-h-[calc(100%-16px)] max-w-180 flex-col gap-2 overflow-y-auto rounded-lg border border-needs bg-raised p-2.5 shadow-raised"
      ref={panel}
    >
      <div className="flex items-center gap-2">
        <span aria-hidden="true" className="text-needs">
          ▲
        </span>
        <h2 className="flex min-w-0 flex-1 gap-1 font-medium">
          {folded ? <GivenLine text={firstLine(approval.text)} /> : 'The agent asks'}{' '}
          <Age className="shrink-0 font-normal text-quiet tabular-nums" since={approval.createdAt} />
        </h2>
        <Button kind="quiet" onClick={onTerminal} title="Answer in the terminal (i)">
          Terminal
        </Button>
        <Button aria-expanded={!folded} kind="quiet" onClick={() => onFold(!folded)}>
          {folded ? 'Show' : 'Fold'}
        </Button>
      </div>
      {folded ? null : <ApprovalAnswers approval={approval} />}
    </section>
  );
}

function firstLine(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '') ?? '';
}
