import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import { useState } from 'react';
import { useOperationQuery } from '../../api/operations.ts';
import { type DialogBodyProps, openDialog } from '../../shell/dialogs.ts';
import { Combobox } from '../../ui/Combobox.tsx';
import { FormDialog } from '../../ui/Dialog.tsx';
import { Field } from '../../ui/Field.tsx';
import { SelectField } from '../../ui/Select.tsx';
import { sessionName } from '../sessions/badge.ts';
import { useSessions } from '../sessions/sessions-store.ts';
import { NO_ZONE } from './columns.ts';
import { boardQuery, moveWorktree } from './move.ts';

/**
 * Dialog that moves a worktree into a zone of a board. If no worktree is passed, the person chooses a session, and the
 * session's worktree is moved.
 */
export default function MoveDialog({ request, onClose }: DialogBodyProps<'moveToZone'>) {
  const [chosenBoard, setBoard] = useState(request.boardId);
  const [zone, setZone] = useState<string>();
  const [worktree, setWorktree] = useState(request.worktreeId ?? '');
  const boards = useOperationQuery('boards.list', { limit: PAGE_MAX });
  const boardId = chosenBoard ?? boards.data?.data[0]?.id ?? '';
  const board = useOperationQuery('boards.get', { boardId }, { enabled: boardId !== '' });
  const placed = useOperationQuery('boards.worktrees', boardQuery(boardId), { enabled: boardId !== '' });
  const zones = (board.data?.zones ?? []).toSorted((a, b) => a.x - b.x || a.y - b.y);
  const current = placed.data?.data.find(({ id }) => id === worktree)?.zoneId;
  const zoneId = zone ?? current ?? zones[0]?.id ?? NO_ZONE;
  const options = useWorktreeOptions(new Set(board.data?.worktrees));
  const hasBoards = boards.data === undefined || boards.data.total > 0;
  const isChoosing = request.worktreeId === undefined;
  return (
    <FormDialog
      onClose={onClose}
      onSubmit={() => {
        if (!hasBoards) return openDialog({ kind: 'board' });
        if (board.data === undefined) return;
        void moveWorktree(worktree, board.data, zoneId === NO_ZONE ? null : zoneId);
        onClose();
      }}
      submit={hasBoards ? (isChoosing ? 'Add' : 'Move') : 'New board…'}
      title={
        isChoosing ? 'Add a session to the board' : request.boardId === undefined ? 'Move to a board' : 'Move to a zone'
      }
    >
      {isChoosing ? (
        <Field label="Session" missing={worktree === '' ? 'Choose a session.' : undefined}>
          {(control) => (
            <Combobox
              {...control}
              onChange={setWorktree}
              options={options}
              placeholder="Search sessions that are not on this board"
              value={worktree}
            />
          )}
        </Field>
      ) : null}
      {hasBoards ? null : <p className="text-quiet">There are no boards yet. Create one first.</p>}
      {hasBoards && request.boardId === undefined ? (
        <SelectField
          label="Board"
          onChange={(id) => {
            setBoard(id);
            setZone(undefined);
          }}
          options={(boards.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={boardId}
        />
      ) : null}
      {hasBoards ? (
        <SelectField
          label="Zone"
          onChange={setZone}
          options={[...zones.map(({ id, name }) => ({ value: id, label: name })), { value: NO_ZONE, label: 'No zone' }]}
          value={zoneId}
        />
      ) : null}
    </FormDialog>
  );
}

/**
 * Returns an option for each worktree that has sessions and is not on the board. The option shows the name of one
 * session.
 */
function useWorktreeOptions(onBoard: ReadonlySet<string>) {
  const sessions = useSessions((state) => state.sessions);
  const repositories = useSessions((state) => state.repositories);
  const options = new Map<string, { value: string; label: string; note: string }>();
  for (const session of Object.values(sessions)) {
    const { worktreeId, repositoryId, gitState } = session;
    if (worktreeId === null || onBoard.has(worktreeId)) continue;
    const note = [repositories[repositoryId ?? ''], gitState?.ref].filter(Boolean).join(' · ');
    options.set(worktreeId, { value: worktreeId, label: sessionName(session), note });
  }
  return [...options.values()];
}
