import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { isolateText } from '../../ui/hidden-characters.ts';
import { dismissToast, toast } from '../../ui/toasts.ts';
import type { Attention } from '../sessions/attention.ts';
import { sessionName } from '../sessions/badge.ts';
import { useSessions } from '../sessions/sessions-store.ts';

const TITLES: Record<Attention['kind'], string> = {
  asks: 'asks',
  blocked: 'cannot be given its prompt',
  failed: 'failed',
  done: 'is done',
};

/** Where every need can be seen. */
const INBOX = '/inbox';

const toastOf = (sessionId: string) => `session-${sessionId}`;

/**
 * Tells by a toast what begins to need a person and cannot be seen: one for each session, gone with the need. What needed
 * someone when the page was opened is in the inbox only.
 */
export function useAttentionToasts(attention: readonly Attention[], openSessionId: string | undefined): void {
  const navigate = useNavigate();
  const loaded = useSessions((directory) => directory.loaded);
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
        action: {
          label: 'Open',
          run: () => void navigate({ to: '/sessions/$sessionId', params: { sessionId } }),
        },
      });
    }
  }, [attention, loaded, openSessionId, navigate]);

  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => {
    if (openSessionId !== undefined) dismissToast(toastOf(openSessionId));
    if (path === INBOX) for (const id of known.current?.keys() ?? []) dismissToast(toastOf(id));
  }, [openSessionId, path]);
}

/** Tells what happened to the console itself. */
export function notifyOfEvent({ type, seq }: ConsoleEvent): void {
  if (type === 'server.crashed') {
    toast({
      id: 'server',
      kind: 'plain',
      title: 'The server crashed and was started again',
      text: 'Agents and terminals went on. `agent-console doctor` says more.',
    });
  } else if (type === 'runner.lost') {
    toast({
      id: `runner-${seq}`,
      kind: 'failed',
      title: 'The runner is gone',
      text: 'Agents and terminals ended with it. Their conversations are kept: resume the sessions you need.',
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
