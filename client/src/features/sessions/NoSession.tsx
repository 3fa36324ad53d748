import type { InboxItem } from '@agent-console/shared/models/inbox';
import { pluralize } from '@agent-console/shared/pluralize';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useKeyHints } from '../../shell/key-hints.ts';
import type { ShortcutId } from '../../shell/shortcut-labels.ts';
import { Age } from '../../ui/Age.tsx';
import { Kbd } from '../../ui/Kbd.tsx';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { type Inbox, useInbox } from '../inbox/inbox-items.ts';
import { KINDS, useLocation } from '../inbox/item-words.ts';

const SHOWN = 6;

/** Shown while no session is open: the first items of the inbox, and the keys of the session list. */
export default function NoSession() {
  const { items, counts } = useInbox();
  return (
    <div className="flex h-full overflow-y-auto p-6">
      {/* With `justify-center`, the top of content that is higher than the page could not be scrolled into view. */}
      <div className="m-auto flex w-full max-w-140 flex-col items-center gap-6">
        <section aria-labelledby="no-session" className="flex w-full flex-col gap-2">
          <h2 className="text-lg font-semibold" id="no-session">
            {headingOf(counts)}
          </h2>
          {items.length === 0 ? (
            <p className="text-quiet">Select a session in the list, or delegate new work.</p>
          ) : (
            <ul className="divide-y divide-line rounded-lg border border-line">
              {items.slice(0, SHOWN).map((item) => (
                <Item item={item} key={item.sessionId ?? item.orchestrationId} />
              ))}
            </ul>
          )}
          {items.length > SHOWN ? (
            <Link className="self-start text-accent hover:underline" to="/inbox">
              {`${items.length - SHOWN} more in the inbox`}
            </Link>
          ) : null}
        </section>
        <p className="flex flex-wrap justify-center gap-x-4 gap-y-1 text-sm text-quiet">
          <Hint ids={['next-session', 'previous-session']}>move in the list</Hint>
          <Hint ids={['open-session']}>open the session</Hint>
          <Hint ids={['next-that-needs-you']}>next inbox item</Hint>
          <Hint ids={['delegate-work']}>delegate work</Hint>
          <Hint ids={['show-keyboard-shortcuts']}>all shortcuts</Hint>
        </p>
      </div>
    </div>
  );
}

function headingOf({ answer, failed, finished }: Inbox['counts']): string {
  const need = answer + failed;
  if (need > 0) return `${pluralize(need, 'item needs', 'items need')} you`;
  if (finished > 0) return pluralize(finished, 'unread outcome');
  return 'Nothing needs you';
}

function Item({ item }: { item: InboxItem }) {
  const { sessionId, orchestrationId, title, since, kind } = item;
  const { glyph, word, tone } = KINDS[kind];
  const place = useLocation(item);
  const content = (
    <>
      <span aria-hidden="true" className={`w-4 shrink-0 text-center ${tone}`}>
        {glyph}
      </span>
      <span className="flex min-w-0 flex-1 flex-col">
        <UntrustedLine className="font-medium" text={title} />
        <span className="flex min-w-0 gap-1.5 text-sm text-quiet">
          <span className={`shrink-0 ${tone}`}>{word}</span>
          <UntrustedLine text={place} />
        </span>
      </span>
      <Age className="shrink-0 text-sm text-quiet tabular-nums" since={since} />
    </>
  );
  const row = 'flex items-baseline gap-2 px-3 py-2 hover:bg-hover';
  return (
    <li>
      {sessionId === null ? (
        <Link className={row} params={{ runId: orchestrationId ?? '' }} to="/runs/$runId">
          {content}
        </Link>
      ) : (
        <Link className={row} params={{ sessionId }} to="/sessions/$sessionId">
          {content}
        </Link>
      )}
    </li>
  );
}

/** Keys of shortcuts and what they do. Renders nothing if none of the shortcuts works on this page. */
function Hint({ ids, children }: { ids: readonly ShortcutId[]; children: ReactNode }) {
  const { keysOf } = useKeyHints();
  const keys = ids.flatMap((id) => keysOf(id) ?? []);
  if (keys.length === 0) return null;
  return (
    <span className="flex items-center gap-1">
      {keys.map((each) => (
        <Kbd key={each}>{each}</Kbd>
      ))}
      {children}
    </span>
  );
}
