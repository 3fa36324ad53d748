import { TITLE_MAX_CHARS } from '@agent-console/shared/limits/texts';
import type { Session } from '@agent-console/shared/models/session';
import { useOperationMutation } from '../../../api/operations.ts';
import { escapeHidden } from '../../../ui/hidden-characters.ts';
import { toast } from '../../../ui/toasts.ts';
import { UntrustedLine } from '../../../ui/UntrustedText.tsx';
import { sessionName } from '../badge.ts';
import { refreshSession } from '../sessions-store.ts';

/** The name of a session; a double click makes it a field. */
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
  // What was just given is shown at once; the console's word follows.
  const name = update.isPending
    ? sessionName({ ...session, title: update.variables.title ?? '' })
    : sessionName(session);
  if (!renaming) {
    return (
      <h1
        className="min-w-0 text-lg font-semibold max-md:text-base"
        onDoubleClick={() => onRenaming(true)}
        title={`${escapeHidden(name)}\nDouble click or r renames`}
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
      { onError: ({ message }) => toast({ kind: 'failed', title: 'Not renamed', text: message }) },
    );
  };
  return (
    <input
      aria-label="Name of the session"
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
