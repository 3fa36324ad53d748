import { useShortcuts } from '../../shell/shortcuts.ts';

/** Keys of the review; they take precedence over those of the page. */
export function useReviewKeys(act: {
  step(kind: 'file' | 'hunk', by: 1 | -1): void;
  comment(): void;
  toggle(): void;
  view(): void;
  layout(): void;
  whitespace(): void;
  filter(): void;
}): void {
  useShortcuts([
    { keys: 'j', does: 'Next file', run: () => act.step('file', 1) },
    { keys: 'k', does: 'Previous file', run: () => act.step('file', -1) },
    { keys: ']', does: 'Next hunk', run: () => act.step('hunk', 1) },
    { keys: '[', does: 'Previous hunk', run: () => act.step('hunk', -1) },
    { keys: 'c', does: 'Comment on the selected lines', run: act.comment },
    { keys: 'x', does: 'Mark file as viewed and go to the next', run: act.view },
    { keys: 'o', does: 'Expand or collapse file', run: act.toggle },
    { keys: 'u', does: 'Switch between unified and split', run: act.layout },
    { keys: 'w', does: 'Show or hide whitespace changes', run: act.whitespace },
    { keys: '/', does: 'Filter files', run: act.filter },
  ]);
}
