import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { InboxItem } from '@agent-console/shared/models/inbox';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import { Age } from '../../ui/Age.tsx';
import { Button } from '../../ui/Button.tsx';
import { isolateText } from '../../ui/hidden-characters.ts';
import { Problem } from '../../ui/Problem.tsx';
import { UntrustedBlock, UntrustedLine } from '../../ui/UntrustedText.tsx';
import { ApprovalAnswers } from '../approvals/ApprovalAnswers.tsx';
import { agentOf, isLive } from '../sessions/badge.ts';
import { useSession } from '../sessions/sessions-store.ts';
import { keyOf } from './inbox-rows.ts';
import { KINDS, useLocation } from './item-words.ts';
import { ScreenAnswer } from './ScreenAnswer.tsx';

export function QuestionCard(props: {
  item: InboxItem;
  resolved: boolean;
  /** Whether the keys shown on the answer buttons work anywhere on the page. */
  hasKeys: boolean;
  showsScreen: boolean;
  onOpen(): void;
}) {
  const { item, resolved, hasKeys, showsScreen, onOpen } = props;
  const { glyph, tone } = KINDS[item.kind];
  const word = useStateWord(item, resolved);
  const location = useLocation(item);
  const shownTone = resolved ? 'text-quiet' : tone;
  return (
    <article
      aria-label={`${isolateText(item.title)} ${KINDS[item.kind].word}`}
      className="flex flex-col gap-2 px-3 py-2.5"
    >
      <div className="flex items-start gap-2.5">
        <span aria-hidden="true" className={`w-4 shrink-0 text-center ${shownTone}`}>
          {glyph}
        </span>
        <button className="min-w-0 flex-1 rounded text-left max-md:min-h-10" onClick={onOpen} type="button">
          <span className="flex flex-wrap items-baseline gap-x-2">
            <UntrustedLine className="font-medium" text={item.title} />
            <span className={shownTone}>{word}</span>
            <Age className="text-quiet tabular-nums" since={item.since} />
            <span className="min-w-0 truncate text-sm text-quiet max-md:basis-full">{location}</span>
          </span>
        </button>
        <Button className="max-md:h-10 max-md:px-4" onClick={onOpen}>
          Open
        </Button>
      </div>
      {resolved ? null : (
        <div className="flex flex-col gap-2 pl-6.5 max-md:pl-0">
          <Answers hasKeys={hasKeys} item={item} showsScreen={showsScreen} />
        </div>
      )}
    </article>
  );
}

/** Returns a word for the state of an item, e.g. whether its question was answered or withdrawn. */
function useStateWord({ kind, approvalId }: InboxItem, isResolved: boolean): string {
  const isQuestion = isResolved && kind === 'asks' && approvalId !== null;
  const { data } = useOperationQuery('approvals.get', { approvalId: approvalId ?? '' }, { enabled: isQuestion });
  if (isQuestion && data !== undefined && data.state !== 'pending') return data.state;
  const { word, resolved } = KINDS[kind];
  return isResolved ? resolved : word;
}

function Answers({ item, hasKeys, showsScreen }: { item: InboxItem; hasKeys: boolean; showsScreen: boolean }) {
  const { data } = useOperationQuery('approvals.list', { limit: PAGE_MAX });
  const session = useSession(item.sessionId ?? undefined);
  const approval = data?.data.find(({ id }) => id === item.approvalId);
  const agent = session && agentOf(session);
  const isRunning = agent !== undefined && isLive(agent);
  if (item.kind === 'blocked') return <Blocked item={item} canSend={isRunning} />;
  if (approval === undefined && item.kind === 'budget') return <UntrustedBlock text={item.text} />;
  const hasScreen = isRunning && item.kind === 'asks';
  return (
    <>
      {approval === undefined ? null : <ApprovalAnswers approval={approval} key={approval.id} globalKeys={hasKeys} />}
      {hasScreen && (approval === undefined || approval.options.length === 0) ? (
        <ScreenAnswer agent={agent} globalKeys={hasKeys} question={keyOf(item)} shown={showsScreen} />
      ) : null}
    </>
  );
}

/** @param props.canSend whether the session has an agent, to which the prompt can be sent at once */
function Blocked({ item, canSend }: { item: InboxItem; canSend: boolean }) {
  const sendNow = useOperationMutation('tasks.sendNow');
  return (
    <>
      <UntrustedBlock text={`Prompt not sent to the agent yet: ${item.text}`} />
      {canSend ? (
        <div>
          <Button
            busy={sendNow.isPending}
            className="max-md:h-10 max-md:px-4"
            data-answer
            kind="primary"
            onClick={() => item.taskId !== null && sendNow.mutate({ taskId: item.taskId })}
          >
            Send now
          </Button>
        </div>
      ) : null}
      <Problem error={sendNow.error} />
    </>
  );
}
