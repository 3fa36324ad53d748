import type { PromptImage } from '@agent-console/shared/models/image';
import { useImageUrl } from './use-image-url.ts';

/** An image of a session. Its space on the page is reserved before the image is loaded. */
export function StoredImage(props: { sessionId: string; image: PromptImage; alt: string; className: string }) {
  const { sessionId, image, alt, className } = props;
  const { url, isMissing } = useImageUrl(sessionId, image.imageId);
  if (isMissing) return <span className="px-2 py-1 text-sm text-quiet">{`${alt} is no longer stored`}</span>;
  return <img alt={alt} className={className} height={image.height} src={url} width={image.width} />;
}
