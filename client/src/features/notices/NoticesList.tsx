import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { Notice } from '@agent-console/shared/models/notice';
import { pluralize } from '@agent-console/shared/pluralize';
import { useState } from 'react';
import { useOperationQuery } from '../../api/operations.ts';
import { Age } from '../../ui/Age.tsx';
import { Button } from '../../ui/Button.tsx';
import { DelayedFallback } from '../../ui/DelayedFallback.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { UntrustedBlock } from '../../ui/UntrustedText.tsx';
import { SessionLink } from '../sessions/SessionLink.tsx';
import { describeNotice } from './describe-notice.ts';

const SHOWN = 5;
const SUMMARY_CHARS = 160;

/** Notices of a session, newest first, with their delivery state. */
export function NoticesList({ sessionId }: { sessionId: string }) {
  const count = useOperationQuery('sessions.notices', { sessionId, limit: 1 });
  const skip = Math.max(0, (count.data?.total ?? 0) - PAGE_MAX);
  const { data, error, refetch, isFetching } = useOperationQuery(
    'sessions.notices',
    { sessionId, limit: PAGE_MAX, skip },
    { enabled: count.data !== undefined && count.data.total > 0 },
  );
  const [all, setAll] = useState(false);
  const problem = error ?? count.error;
  if (problem !== null) {
    return (
      <Problem error={problem}>
        <Button busy={isFetching} onClick={() => void Promise.all([count.refetch(), refetch()])}>
          Try again
        </Button>
      </Problem>
    );
  }
  if (count.data?.total === 0) {
    return (
      <p className="text-quiet">
        No notices yet. This session receives one when delegated work ends, needs input or conflicts with other work, or
        when another session sends it a message.
      </p>
    );
  }
  if (data === undefined) {
    return (
      <DelayedFallback>
        <p className="text-quiet">Loading…</p>
      </DelayedFallback>
    );
  }
  const newest = data.data.toReversed();
  const shown = all ? newest : newest.slice(0, SHOWN);
  return (
    <>
      <ul className="divide-y divide-line">
        {shown.map((notice) => (
          <NoticeItem key={notice.id} notice={notice} />
        ))}
      </ul>
      {newest.length > SHOWN && (
        <button
          aria-expanded={all}
          className="mt-1 text-accent hover:underline"
          onClick={() => setAll(!all)}
          type="button"
        >
          {all ? 'Show fewer' : `Show all ${newest.length.toLocaleString('en')} notices`}
        </button>
      )}
      {all && skip > 0 && <p className="text-sm text-quiet">{`${pluralize(skip, 'older notice')} not shown`}</p>}
    </>
  );
}

function NoticeItem({ notice }: { notice: Notice }) {
  const [open, setOpen] = useState(false);
  const { about, summary } = notice;
  const long = summary.length > SUMMARY_CHARS || summary.includes('\n');
  const short = (summary.split('\n')[0] ?? '').slice(0, SUMMARY_CHARS).replace(/[\ud800-\udbff]$/, '');
  return (
    <li className="py-2 first:pt-0">
      <div className="flex items-baseline gap-2">
        <SessionLink sessionId={about.sessionId} title={about.title} />
        <span className="flex-1" />
        <State notice={notice} />
      </div>
      <p className="text-sm text-quiet">
        {describeNotice(notice)} <Age since={notice.createdAt} />
      </p>
      <UntrustedBlock text={open || !long ? summary : `${short}…`} />
      {long && (
        <button
          aria-expanded={open}
          className="text-sm text-accent hover:underline"
          onClick={() => setOpen(!open)}
          type="button"
        >
          {open ? 'Show less' : 'Show all'}
        </button>
      )}
    </li>
  );
}

const STATES: Record<Notice['state'], { word: string; why: string; colour: string }> = {
  pending: { word: 'pending', why: 'The notice will be sent when the agent is idle', colour: 'text-quiet' },
  delivering: { word: 'delivering', why: 'The notice is being sent to the agent', colour: 'text-quiet' },
  delivered: { word: 'delivered', why: 'The agent has accepted the notice', colour: 'text-quiet' },
  stored: {
    word: 'stored',
    why: 'Not delivered, because notices are turned off for this delegation',
    colour: 'text-quiet',
  },
  undeliverable: { word: '⊘ undeliverable', why: 'The receiving session was removed', colour: 'text-failed' },
};

function State({ notice: { state, deliveredAt } }: { notice: Notice }) {
  const { word, why, colour } = STATES[state];
  return (
    <span className={`shrink-0 text-sm ${colour}`} title={why}>
      {word} {deliveredAt !== null && <Age since={deliveredAt} />}
    </span>
  );
}
