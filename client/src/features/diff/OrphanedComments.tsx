import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { CommentCard } from './CommentBox.tsx';
import { type Comment, commentState, type Editing } from './comments.ts';
import { DraftEditor, type RowActions } from './ReviewRow.tsx';

/** Comments on files that no longer have changes, so that they can still be edited, sent or deleted. */
export function OrphanedComments(props: {
  comments: readonly Comment[];
  editing: Editing | undefined;
  actions: RowActions;
}) {
  const { comments, editing, actions } = props;
  if (comments.length === 0 && editing === undefined) return null;
  return (
    <section aria-label="Comments on files without changes" className="max-h-2/5 shrink-0 overflow-y-auto">
      <p className="px-3 py-1.5 text-quiet">Comments on files that no longer have changes:</p>
      {comments.map((comment) => (
        <div key={comment.id}>
          <UntrustedLine className="px-3 pb-1 font-medium" text={comment.path} />
          <CommentCard
            comment={comment}
            state={commentState(comment, false, undefined)}
            onEdit={() => actions.editComment(comment)}
            onRemove={() => actions.removeComment(comment)}
          />
        </div>
      ))}
      {editing !== undefined && <DraftEditor actions={actions} editing={editing} />}
    </section>
  );
}
