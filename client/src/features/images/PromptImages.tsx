import type { PromptImage } from '@agent-console/shared/models/image';
import { useState } from 'react';
import { StoredImage } from './StoredImage.tsx';

/** The images of a prompt in the conversation. Clicking an image enlarges it. */
export function PromptImages({ sessionId, images }: { sessionId: string; images: readonly PromptImage[] }) {
  return (
    <ul aria-label="Images of the prompt" className="mt-2 flex flex-wrap items-start gap-2">
      {images.map((image, index) => (
        <li className="min-w-0 max-w-full" key={image.imageId}>
          <EnlargeableImage image={image} number={index + 1} sessionId={sessionId} />
        </li>
      ))}
    </ul>
  );
}

function EnlargeableImage({ sessionId, image, number }: { sessionId: string; image: PromptImage; number: number }) {
  const [isLarge, setLarge] = useState(false);
  return (
    <button
      aria-pressed={isLarge}
      className="block max-w-full overflow-hidden rounded-md border border-line bg-bg"
      onClick={() => setLarge(!isLarge)}
      title={isLarge ? 'Show smaller' : 'Show larger'}
      type="button"
    >
      <StoredImage
        alt={`Image ${number}, ${image.width} × ${image.height} pixels`}
        className={isLarge ? 'h-auto max-w-full' : 'h-32 w-auto max-w-full object-contain'}
        image={image}
        sessionId={sessionId}
      />
    </button>
  );
}
