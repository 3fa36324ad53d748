export const POPUP =
  'max-h-[min(480px,var(--available-height))] max-w-(--available-width) overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-raised outline-none';

export const MENU_ITEM =
  'flex cursor-pointer items-center gap-3 rounded-md px-2 py-1 outline-none data-disabled:cursor-default data-disabled:opacity-55 data-highlighted:bg-hover max-md:py-2.5';
