import { useShortcuts } from '../../shell/shortcuts.ts';

/** Registers the review's keys, which take precedence over the page's shortcuts. */
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
    { keys: 'j', label: 'Next file', run: () => act.step('file', 1) },
    { keys: 'k', label: 'Previous file', run: () => act.step('file', -1) },
    { keys: ']', label: 'Next hunk', run: () => act.step('hunk', 1) },
    { keys: '[', label: 'Previous hunk', run: () => act.step('hunk', -1) },
    { keys: 'c', label: 'Comment on the selected lines', run: act.comment },
    { keys: 'x', label: 'Mark file as viewed and go to the next', run: act.view },
    { keys: 'o', label: 'Expand or collapse file', run: act.toggle },
    { keys: 'u', label: 'Switch between unified and split', run: act.layout },
    { keys: 'w', label: 'Show or hide whitespace changes', run: act.whitespace },
    { keys: '/', label: 'Filter files', run: act.filter },
  ]);
}
