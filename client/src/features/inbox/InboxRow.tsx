import { useOperationMutation } from '../../api/operations.ts';
import { Age } from '../../ui/Age.tsx';
import { Button } from '../../ui/Button.tsx';
import { isolateText } from '../../ui/hidden-characters.ts';
import { Problem } from '../../ui/Problem.tsx';
import { UntrustedBlock, UntrustedLine } from '../../ui/UntrustedText.tsx';
import { ApprovalAnswers } from '../approvals/ApprovalAnswers.tsx';
import { usePendingApproval } from '../approvals/use-pending-approval.ts';
import type { Attention } from '../sessions/attention.ts';
import { agentOf, isLive, sessionName } from '../sessions/badge.ts';
import { markSeen } from '../sessions/seen.ts';
import { useSession, useSessions } from '../sessions/sessions-store.ts';
import { Reply } from './Reply.tsx';
import { ScreenAnswer } from './ScreenAnswer.tsx';

const STYLES: Record<Attention['kind'], { glyph: string; word: string; tone: string }> = {
  asks: { glyph: '▲', word: 'asks', tone: 'text-needs' },
  blocked: { glyph: '▲', word: 'prompt blocked', tone: 'text-needs' },
  failed: { glyph: '⊘', word: 'failed', tone: 'text-failed' },
  done: { glyph: '●', word: 'done', tone: 'text-done' },
};

/** One inbox item and its actions. */
export function InboxRow(props: {
  need: Attention;
  resolved: boolean;
  replying: boolean;
  showsScreen: boolean;
  /** Whether the keys that are shown on the item's answers work anywhere on the page. */
  isSelected: boolean;
  onReply(on: boolean): void;
  onOpen(): void;
}) {
  const { need, resolved, replying, showsScreen, isSelected, onReply, onOpen } = props;
  const { sessionId, kind, since, text } = need;
  const session = useSession(sessionId);
  const repository = useSessions(({ repositories }) => repositories[session?.repositoryId ?? '']);
  const heldTask = useSessions(({ held }) => held[sessionId]?.taskId);
  const approval = usePendingApproval(sessionId);
  const sendNow = useOperationMutation('tasks.sendNow');
  const { glyph, word, tone } = STYLES[kind];
  const agent = session && agentOf(session);
  const location = [repository, session?.gitState?.ref, session?.agentId]
    .filter((part) => part !== undefined && part !== null && part !== '')
    .map((part) => isolateText(part ?? ''))
    .join(' · ');
  const isEnd = kind === 'failed' || kind === 'done';
  const size = 'max-md:h-10 max-md:px-4';
  const actions = (
    <>
      {kind === 'blocked' && heldTask !== undefined ? (
        <Button
          busy={sendNow.isPending}
          className={size}
          kind="primary"
          onClick={() => sendNow.mutate({ taskId: heldTask })}
        >
          Send now
        </Button>
      ) : null}
      {isEnd && !replying ? (
        <Button className={size} onClick={() => onReply(true)}>
          {kind === 'failed' ? 'Retry' : 'Reply'}
        </Button>
      ) : null}
      {isEnd && !resolved ? (
        <Button className={size} onClick={() => markSeen(sessionId)}>
          Mark as read
        </Button>
      ) : null}
      <Button className={size} onClick={onOpen}>
        Open
      </Button>
    </>
  );
  return (
    <article
      aria-label={`${session === undefined ? sessionId : isolateText(sessionName(session))} ${word}`}
      className="flex flex-col gap-2 px-3 py-2.5"
    >
      <div className="flex items-start gap-2.5">
        <span aria-hidden="true" className={`w-4 shrink-0 text-center ${resolved ? 'text-quiet' : tone}`}>
          {glyph}
        </span>
        <button className="min-w-0 flex-1 rounded text-left" onClick={onOpen} type="button">
          <span className="flex flex-wrap items-baseline gap-x-2">
            <UntrustedLine
              className="font-medium"
              text={session === undefined ? 'Removed session' : sessionName(session)}
            />
            <span className={resolved ? 'text-quiet' : tone}>{resolved ? 'resolved' : word}</span>
            <Age className="text-quiet tabular-nums" since={since} />
          </span>
          <span className="block truncate text-sm text-quiet">{location}</span>
        </button>
        <div className="flex shrink-0 flex-wrap justify-end gap-1.5 max-md:hidden">{actions}</div>
      </div>
      {kind === 'asks' ? null : <UntrustedBlock className="line-clamp-6 pl-6.5 max-md:pl-0" text={text} />}
      {kind === 'asks' && !resolved && agent !== undefined && isLive(agent) ? (
        <div className="flex flex-col gap-2 pl-6.5 max-md:pl-0">
          {approval === undefined ? null : (
            <ApprovalAnswers approval={approval} key={approval.id} globalKeys={isSelected} />
          )}
          {approval === undefined || approval.options.length === 0 ? (
            <ScreenAnswer globalKeys={isSelected} shown={showsScreen} workerId={agent.id} />
          ) : null}
        </div>
      ) : null}
      <Problem error={sendNow.error} />
      {replying && isEnd ? (
        <div className="pl-6.5 max-md:pl-0">
          <Reply
            again={kind === 'failed'}
            onClose={() => onReply(false)}
            sessionId={sessionId}
            taskId={session?.task?.id}
          />
        </div>
      ) : null}
      <div className="flex flex-wrap gap-2 md:hidden">{actions}</div>
    </article>
  );
}
