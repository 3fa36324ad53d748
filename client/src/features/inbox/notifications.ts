import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { isolateText } from '../../ui/hidden-characters.ts';
import { dismissToast, toast } from '../../ui/toasts.ts';
import type { Attention } from '../sessions/attention.ts';
import { sessionName } from '../sessions/badge.ts';
import { useOpenSession } from '../sessions/page/session-views.ts';
import { useSessions } from '../sessions/sessions-store.ts';

const TITLES: Record<Attention['kind'], string> = {
  asks: 'asks a question',
  blocked: 'has a blocked prompt',
  failed: 'failed',
  done: 'is done',
};

const INBOX = '/inbox';

const toastOf = (sessionId: string) => `session-${sessionId}`;

/**
 * Shows a toast when a session that is not visible begins to need a person. Removes the toast when the session no
 * longer needs a person. Items from before the page was opened appear only in the inbox.
 */
export function useAttentionToasts(attention: readonly Attention[], openSessionId: string | undefined): void {
  const openSession = useOpenSession();
  const loaded = useSessions((state) => state.loaded);
  const known = useRef<ReadonlyMap<string, string> | undefined>(undefined);
  useEffect(() => {
    if (!loaded) return;
    const before = known.current;
    known.current = new Map(attention.map((each) => [each.sessionId, keyOf(each)]));
    if (before === undefined) return;
    for (const id of before.keys()) if (!known.current.has(id)) dismissToast(toastOf(id));
    for (const each of attention) {
      const { sessionId, kind, text } = each;
      if (before.get(sessionId) === keyOf(each) || isSeen(sessionId, openSessionId)) continue;
      const session = useSessions.getState().sessions[sessionId];
      toast({
        id: toastOf(sessionId),
        kind: kind === 'asks' || kind === 'blocked' ? 'needs' : kind,
        title: `${session === undefined ? 'A session' : isolateText(sessionName(session))} ${TITLES[kind]}`,
        ...(kind === 'asks' ? {} : { text }),
        action: { label: 'Open', run: () => openSession(sessionId) },
      });
    }
  }, [attention, loaded, openSessionId, openSession]);

  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => {
    if (openSessionId !== undefined) dismissToast(toastOf(openSessionId));
    if (path === INBOX) for (const id of known.current?.keys() ?? []) dismissToast(toastOf(id));
  }, [openSessionId, path]);
}

/** Shows a toast when the server has crashed or the runner has stopped. */
export function notifyOfEvent({ type, seq }: ConsoleEvent): void {
  if (type === 'server.crashed') {
    toast({
      id: 'server',
      kind: 'plain',
      title: 'The server crashed and was restarted',
      text: 'Agents and terminals kept running. Run `npx agent-console doctor` for details.',
    });
  } else if (type === 'runner.lost') {
    toast({
      id: `runner-${seq}`,
      kind: 'failed',
      title: 'The runner stopped',
      text: 'All agents and terminals ended. Conversations are saved: resume the sessions you need.',
    });
  }
}

function keyOf({ kind, since }: Attention): string {
  return `${kind} ${since}`;
}

function isSeen(sessionId: string, openSessionId: string | undefined): boolean {
  if (document.visibilityState !== 'visible') return false;
  return sessionId === openSessionId || location.pathname === INBOX;
}
