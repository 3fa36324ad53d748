import { useShortcuts } from '../../shell/shortcuts.ts';

/** Keys of the review; they go before those of the page around it while it is shown. */
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
    { keys: 'c', does: 'Comment on the chosen lines', run: act.comment },
    { keys: 'x', does: 'File viewed, and on to the next', run: act.view },
    { keys: 'o', does: 'Open or close the file', run: act.toggle },
    { keys: 'u', does: 'Unified or split', run: act.layout },
    { keys: 'w', does: 'Ignore whitespace or not', run: act.whitespace },
    { keys: '/', does: 'Filter files', run: act.filter },
  ]);
}
