import { Dialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';

/** The inspector as a sheet over the work area, for narrow windows. */
export function InspectorSheet(props: { open: boolean; onOpen: (open: boolean) => void; children: ReactNode }) {
  return (
    <Dialog.Root onOpenChange={props.onOpen} open={props.open}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-20 bg-[rgb(0_0_0/35%)]" />
        <Dialog.Popup className="fixed inset-y-0 right-0 z-20 flex w-[min(360px,calc(100vw-48px))] flex-col border-l border-line bg-bg shadow-raised outline-none">
          <div className="flex h-11 shrink-0 items-center justify-between border-b border-line pl-4 pr-2">
            <Dialog.Title className="font-semibold">Details</Dialog.Title>
            <Dialog.Close
              aria-label="Close"
              className="h-8 w-8 rounded-md text-lg leading-none text-quiet hover:bg-hover max-md:h-11 max-md:w-11"
            >
              ×
            </Dialog.Close>
          </div>
          <div className="min-h-0 flex-1">{props.children}</div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
