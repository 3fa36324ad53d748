import { lazy } from 'react';
import { toast } from '../../../ui/toasts.ts';

/** Images of prompts. Their code is loaded after the page, because few prompts have images. */
export const ImageStrip = lazy(async () => ({ default: (await import('./ImageStrip.tsx')).ImageStrip }));
export const AttachImages = lazy(async () => ({
  default: (await import('../../images/AttachImages.tsx')).AttachImages,
}));

let last = Promise.resolve(true);
let pending = 0;

/** Uploads images for the next prompt of a session, one call after the other, so that the images keep their order. */
export function attach(sessionId: string, files: readonly File[]): void {
  pending += 1;
  last = last
    .then(async () => (await import('./image-uploads.ts')).uploadToDraft(sessionId, files))
    .catch((error: Error) => {
      toast({ id: `images-${sessionId}`, kind: 'failed', title: 'Could not upload the image', text: error.message });
      return false;
    })
    .finally(() => {
      pending -= 1;
    });
}

/** Waits for pending uploads. Resolves to false if the last of them failed. */
export const attached = async (): Promise<boolean> => pending === 0 || last;
