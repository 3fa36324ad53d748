import { Button } from '../../../ui/Button.tsx';
import { Problem } from '../../../ui/Problem.tsx';
import { StoredImage } from '../../images/StoredImage.tsx';
import { useDraft } from './drafts.ts';
import { removeFromDraft, setUploadProblem, useUploadProblem } from './image-uploads.ts';

/** The images of a prompt that was not sent yet, each with a button that removes it, and why the last upload failed. */
export function ImageStrip({ sessionId, onDone }: { sessionId: string; onDone: () => void }) {
  const { images = [] } = useDraft(sessionId);
  const problem = useUploadProblem(sessionId);
  return (
    <>
      {problem === undefined ? null : (
        <div className="mb-2">
          <Problem error={problem}>
            <Button
              aria-label="Dismiss"
              kind="quiet"
              onClick={() => {
                setUploadProblem(sessionId, undefined);
                onDone();
              }}
            >
              ×
            </Button>
          </Problem>
        </div>
      )}
      {images.length === 0 ? null : (
        <ul aria-label="Images of this prompt" className="mb-1.5 flex max-h-36 flex-wrap gap-2 overflow-y-auto">
          {images.map((image, index) => (
            <li
              className="relative flex min-w-16 justify-center rounded-md border border-line bg-bg"
              key={image.imageId}
            >
              <StoredImage
                alt={`Image ${index + 1}, ${image.width} × ${image.height} pixels`}
                className="h-16 w-auto max-w-40 rounded-md object-contain"
                image={image}
                sessionId={sessionId}
              />
              <button
                aria-label={`Remove image ${index + 1}`}
                className="absolute top-0.5 right-0.5 h-6 w-6 rounded-md border border-line bg-bg text-quiet hover:bg-hover hover:text-text max-md:h-8 max-md:w-8"
                onClick={() => {
                  removeFromDraft(sessionId, image);
                  onDone();
                }}
                type="button"
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
