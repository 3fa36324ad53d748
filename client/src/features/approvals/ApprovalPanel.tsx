import type { Approval } from '@agent-console/shared/models/approval';
import type { RefObject } from 'react';
import { useKeyHints } from '../../shell/key-hints.ts';
import { Age } from '../../ui/Age.tsx';
import { Button } from '../../ui/Button.tsx';
import { firstLine } from '../../ui/first-line.ts';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { ApprovalAnswers } from './ApprovalAnswers.tsx';

/**
 * The pending question of the open session: in a bar below the work area or, if `inline`, at the end of the
 * conversation.
 */
export function ApprovalPanel(props: {
  approval: Approval;
  panel: RefObject<HTMLElement | null>;
  collapsed: boolean;
  onCollapse(collapsed: boolean): void;
  /** Called when the user prefers to answer in the terminal; undefined for an agent without a terminal. */
  onTerminal: (() => void) | undefined;
  inline?: boolean;
}) {
  const { approval, panel, collapsed, onCollapse, onTerminal, inline = false } = props;
  const { withKeys } = useKeyHints();
  const heading = approval.kind === 'budget' ? 'Budget used up' : 'Question from the agent';
  const shape = inline
    ? 'mt-2 rounded-lg border border-needs'
    : 'max-h-[60%] shrink-0 overflow-y-auto border-t-2 border-needs [anchor-name:--question]';
  return (
    <section aria-label={heading} className={`flex flex-col gap-2 bg-raised px-3 py-2 ${shape}`} ref={panel}>
      <div className="flex items-center gap-2">
        <span aria-hidden="true" className="text-needs">
          ▲
        </span>
        <h2 className="flex min-w-0 flex-1 gap-1 font-medium">
          {collapsed && !inline ? (
            <UntrustedLine text={firstLine(approval.text)} />
          ) : (
            <>
              <span className="truncate max-md:hidden">{heading}</span>
              <span className="md:hidden">{approval.kind === 'budget' ? heading : 'Question'}</span>
            </>
          )}{' '}
          <Age className="shrink-0 font-normal text-quiet tabular-nums" since={approval.createdAt} />
        </h2>
        {onTerminal === undefined ? null : (
          <Button kind="quiet" onClick={onTerminal} title={withKeys('Focus the terminal', 'focus-the-terminal')}>
            Answer in terminal
          </Button>
        )}
        {inline ? null : (
          <Button aria-expanded={!collapsed} kind="quiet" onClick={() => onCollapse(!collapsed)}>
            {collapsed ? 'Expand' : 'Collapse'}
          </Button>
        )}
      </div>
      {collapsed && !inline ? null : <ApprovalAnswers approval={approval} globalKeys />}
    </section>
  );
}
