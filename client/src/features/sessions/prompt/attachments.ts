import { lazy } from 'react';
import { toast } from '../../../ui/toasts.ts';

/** Components for the images of a prompt. Their code is loaded after the page, because few prompts have images. */
export const ImageStrip = lazy(async () => ({ default: (await import('./ImageStrip.tsx')).ImageStrip }));
export const AttachImages = lazy(async () => ({
  default: (await import('../../images/AttachImages.tsx')).AttachImages,
}));

/** Pending uploads of each session, oldest first. */
const pending = new Map<string, readonly Promise<boolean>[]>();

const pendingOf = (sessionId: string) => pending.get(sessionId) ?? [];

/** Uploads images for the next prompt of a session, one call after the other, so that the images keep their order. */
export function attach(sessionId: string, files: readonly File[]): void {
  const before = pendingOf(sessionId);
  const upload = Promise.resolve(before.at(-1))
    .then(async () => {
      const { setUploadProblem, uploadToDraft } = await import('./image-uploads.ts');
      // If other uploads are pending, one of them may have caused the error that is shown, so the error stays visible.
      if (before.length === 0) setUploadProblem(sessionId, undefined);
      return uploadToDraft(sessionId, files);
    })
    .catch((error: Error) => {
      toast({ id: `images-${sessionId}`, kind: 'failed', title: 'Could not upload the image', text: error.message });
      return false;
    });
  pending.set(sessionId, [...before, upload]);
  void upload.then(() => {
    const rest = pendingOf(sessionId).filter((each) => each !== upload);
    if (rest.length === 0) pending.delete(sessionId);
    else pending.set(sessionId, rest);
  });
}

/** Waits for pending uploads of a session. Resolves to whether all of them succeeded. */
export async function attached(sessionId: string): Promise<boolean> {
  return (await Promise.all(pendingOf(sessionId))).every(Boolean);
}
