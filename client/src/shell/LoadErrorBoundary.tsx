import { Component, type ReactNode } from 'react';
import { closeDialog } from './dialogs.ts';

/**
 * Shows a message if a part of the page cannot be loaded, for example because the console was updated or is
 * unreachable.
 */
export class LoadErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override componentDidCatch(): void {
    closeDialog();
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <div
        className="fixed inset-x-0 bottom-16 z-60 mx-auto flex w-fit max-w-[calc(100vw-16px)] items-center gap-3 rounded-md border border-needs bg-needs-bg px-3 py-1.5 text-needs shadow-raised md:bottom-4"
        role="alert"
      >
        Part of the page failed to load. The console may have been updated.
        <button
          className="shrink-0 rounded border border-current px-2 font-medium"
          onClick={() => location.reload()}
          type="button"
        >
          Reload
        </button>
      </div>
    );
  }
}
