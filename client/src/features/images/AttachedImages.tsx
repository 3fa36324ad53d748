import type { ReactNode } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';

interface AttachedImage {
  imageId: string;
  width: number;
  height: number;
}

/**
 * Images of a prompt that was not sent yet, each with a remove button, and the error if an image could not be added.
 */
export function AttachedImages<Image extends AttachedImage>(props: {
  images: readonly Image[];
  problem: { message: string } | undefined;
  children(image: Image, look: { alt: string; className: string }): ReactNode;
  onRemove(image: Image): void;
  /** Hides the problem. If undefined, the problem cannot be hidden. */
  onDismiss?: (() => void) | undefined;
}) {
  const { images, problem, children, onRemove, onDismiss } = props;
  return (
    <>
      {problem === undefined ? null : (
        <div className="mb-2">
          <Problem error={problem}>
            {onDismiss === undefined ? null : (
              <Button aria-label="Dismiss" kind="quiet" onClick={onDismiss}>
                ×
              </Button>
            )}
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
              {children(image, {
                alt: `Image ${index + 1}, ${image.width} × ${image.height} pixels`,
                className: 'h-16 w-auto max-w-40 rounded-md object-contain',
              })}
              <button
                aria-label={`Remove image ${index + 1}`}
                className="absolute top-0.5 right-0.5 h-6 w-6 rounded-md border border-line bg-bg text-quiet hover:bg-hover hover:text-text max-md:h-8 max-md:w-8"
                onClick={() => onRemove(image)}
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
