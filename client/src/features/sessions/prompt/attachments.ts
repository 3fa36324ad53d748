import { lazy } from 'react';
import { toast } from '../../../ui/toasts.ts';

/** Images of prompts. Their code is loaded after the page, because few prompts have images. */
export const ImageStrip = lazy(async () => ({ default: (await import('./ImageStrip.tsx')).ImageStrip }));
export const AttachImages = lazy(async () => ({
  default: (await import('../../images/AttachImages.tsx')).AttachImages,
}));

let last = Promise.resolve(true);
const pending = new Set<Promise<boolean>>();

/** Uploads images for the next prompt of a session, one call after the other, so that the images keep their order. */
export function attach(sessionId: string, files: readonly File[]): void {
  const isFirst = pending.size === 0;
  const upload = last
    .then(async () => {
      const { setUploadProblem, uploadToDraft } = await import('./image-uploads.ts');
      // The problem of an upload that was pending at the same time stays visible.
      if (isFirst) setUploadProblem(sessionId, undefined);
      return uploadToDraft(sessionId, files);
    })
    .catch((error: Error) => {
      toast({ id: `images-${sessionId}`, kind: 'failed', title: 'Could not upload the image', text: error.message });
      return false;
    });
  last = upload;
  pending.add(upload);
  void upload.then(() => pending.delete(upload));
}

/** Waits for pending uploads. Resolves to whether all of them succeeded. */
export const attached = async (): Promise<boolean> => (await Promise.all(pending)).every(Boolean);
