import { create } from 'zustand';
import { readStored, writeStored } from '../../ui/local-storage.ts';

const KEY = 'agent-console.diff-focus';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

/**
 * Focus mode of a review: session list and details are hidden. `isWanted` is the user's choice, stored in this browser;
 * `isReviewing` is whether a diff is open.
 */
const useStore = create(() => ({ isWanted: readStored(KEY, false, isBoolean), isReviewing: false }));

/** Whether session list and details are hidden for a review. */
export function useReviewFocus(): boolean {
  return useStore(({ isWanted, isReviewing }) => isWanted && isReviewing);
}

export function toggleReviewFocus(): void {
  const isWanted = !useStore.getState().isWanted;
  writeStored(KEY, isWanted);
  useStore.setState({ isWanted });
}

/** Marks a diff as open. Returns a function that marks it as closed. */
export function beginReview(): () => void {
  useStore.setState({ isReviewing: true });
  return () => useStore.setState({ isReviewing: false });
}
