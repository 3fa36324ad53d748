import { ConsoleError } from '@agent-console/shared/errors';
import type { PromptImage } from '@agent-console/shared/models/image';
import { create } from 'zustand';
import { refuseTooMany, uploadImage } from '../../images/upload.ts';
import { draftOf, saveDraft } from './drafts.ts';

/** Error of the last failed image upload, by session id. */
const useProblems = create<Readonly<Record<string, ConsoleError | undefined>>>(() => ({}));

export const useUploadProblem = (sessionId: string) => useProblems((all) => all[sessionId]);

export function setUploadProblem(sessionId: string, problem: ConsoleError | undefined): void {
  useProblems.setState({ [sessionId]: problem });
}

const imagesOf = (sessionId: string): readonly PromptImage[] => draftOf(sessionId).images ?? [];

/** Uploads images and adds them to the draft of a session. Resolves to whether all were uploaded. */
export async function uploadToDraft(sessionId: string, files: readonly File[]): Promise<boolean> {
  try {
    for (const file of files) {
      refuseTooMany(imagesOf(sessionId));
      const image = await uploadImage(sessionId, file);
      removeFromDraft(sessionId, image);
      saveDraft(sessionId, { text: draftOf(sessionId).text, images: [...imagesOf(sessionId), image] });
    }
    return true;
  } catch (error) {
    setUploadProblem(sessionId, error instanceof ConsoleError ? error : new ConsoleError('INTERNAL', String(error)));
    return false;
  }
}

export function removeFromDraft(sessionId: string, { imageId }: PromptImage): void {
  const images = imagesOf(sessionId).filter((image) => image.imageId !== imageId);
  saveDraft(sessionId, { text: draftOf(sessionId).text, images });
}
