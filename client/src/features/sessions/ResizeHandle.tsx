import type { KeyboardEvent, PointerEvent } from 'react';

/** Change of the width in pixels per press of an arrow key. */
const STEP = 16;

/** Right edge of a pane, resizable by pointer and arrow keys. */
export function ResizeHandle(props: {
  label: string;
  width: number;
  min: number;
  max: number;
  onWidth: (width: number) => void;
}) {
  const { width, min, max } = props;
  const set = (wanted: number) => props.onWidth(Math.round(Math.min(max, Math.max(min, wanted))));
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) {
      set(event.clientX - (event.currentTarget.parentElement?.getBoundingClientRect().left ?? 0));
    }
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    set(width + (event.key === 'ArrowLeft' ? -STEP : STEP));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> is neither focusable nor adjustable
    <div
      aria-label={props.label}
      aria-orientation="vertical"
      aria-valuemax={max}
      aria-valuemin={min}
      aria-valuenow={width}
      className="absolute inset-y-0 -right-1 z-10 w-2 cursor-col-resize touch-none hover:bg-hover max-md:hidden"
      onKeyDown={press}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      role="separator"
      tabIndex={0}
    />
  );
}
