/** Number of new items below the viewport; scrolls to them. */
export function NewItemsButton({ count, onGo }: { count: number; onGo: () => void }) {
  if (count === 0) return null;
  return (
    <button
      className="absolute bottom-3 left-1/2 z-10 h-7 -translate-x-1/2 rounded-full border border-line bg-raised px-3 font-medium shadow-raised hover:bg-hover"
      onClick={onGo}
      type="button"
    >
      {count} new ↓
    </button>
  );
}
