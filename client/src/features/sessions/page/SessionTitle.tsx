import { TITLE_MAX_CHARS } from '@agent-console/shared/limits/texts';
import type { Session } from '@agent-console/shared/models/session';
import { useOperationMutation } from '../../../api/operations.ts';
import { escapeHidden } from '../../../ui/hidden-characters.ts';
import { toast } from '../../../ui/toasts.ts';
import { UntrustedLine } from '../../../ui/UntrustedText.tsx';
import { sessionName } from '../badge.ts';
import { refreshSession } from '../sessions-store.ts';

/** Title of a session; a double click edits it. */
export function SessionTitle({
  session,
  renaming,
  onRenaming,
}: {
  session: Session;
  renaming: boolean;
  onRenaming: (renaming: boolean) => void;
}) {
  const update = useOperationMutation('sessions.update', { onSuccess: ({ id }) => refreshSession(id) });
  // Optimistic: shows the new title until the update returns.
  const name = update.isPending
    ? sessionName({ ...session, title: update.variables.title ?? '' })
    : sessionName(session);
  if (!renaming) {
    return (
      <h1
        className="min-w-0 text-lg font-semibold max-md:text-base"
        onDoubleClick={() => onRenaming(true)}
        title={`${escapeHidden(name)}\nDouble-click or press r to rename`}
      >
        <UntrustedLine text={name} />
      </h1>
    );
  }
  const finish = (title: string) => {
    onRenaming(false);
    if (title === session.title) return;
    update.mutate(
      { sessionId: session.id, title },
      { onError: ({ message }) => toast({ kind: 'failed', title: 'Could not rename the session', text: message }) },
    );
  };
  return (
    <input
      aria-label="Session title"
      dir="auto"
      // biome-ignore lint/a11y/noAutofocus: it was just asked for
      autoFocus
      className="h-7 min-w-0 flex-1 rounded-md border border-line bg-bg px-1.5 text-lg font-semibold max-md:text-[16px]"
      defaultValue={session.title}
      maxLength={TITLE_MAX_CHARS}
      onBlur={({ target }) => finish(target.value.trim())}
      onFocus={({ target }) => target.select()}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key === 'Escape') {
          event.currentTarget.value = session.title;
          event.currentTarget.blur();
        }
      }}
      placeholder={sessionName({ ...session, title: '' })}
    />
  );
}
