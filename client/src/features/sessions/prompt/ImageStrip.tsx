import { AttachedImages } from '../../images/AttachedImages.tsx';
import { StoredImage } from '../../images/StoredImage.tsx';
import { useDraft } from './drafts.ts';
import { removeFromDraft, setUploadProblem, useUploadProblem } from './image-uploads.ts';

/** Images of a session's draft, each with a remove button, and the error if the last upload failed. */
export function ImageStrip({ sessionId, onDone }: { sessionId: string; onDone: () => void }) {
  const { images = [] } = useDraft(sessionId);
  return (
    <AttachedImages
      images={images}
      onDismiss={() => {
        setUploadProblem(sessionId, undefined);
        onDone();
      }}
      onRemove={(image) => {
        removeFromDraft(sessionId, image);
        onDone();
      }}
      problem={useUploadProblem(sessionId)}
    >
      {(image, look) => <StoredImage {...look} image={image} sessionId={sessionId} />}
    </AttachedImages>
  );
}
