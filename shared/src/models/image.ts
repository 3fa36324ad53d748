import * as v from 'valibot';
import { described } from '../describe.ts';

/** Media types of images in prompts: those that the models of all supported agents accept. */
export const ImageType = v.picklist(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);
export type ImageType = v.InferOutput<typeof ImageType>;

/** Id of an uploaded image, derived from its content. */
export const ImageId = v.pipe(
  v.string(),
  v.regex(/^[0-9a-f]{32}$/, 'must be the imageId that POST /sessions/{sessionId}/images returned'),
);

/** An image of a prompt. */
export const PromptImage = v.object({
  imageId: described(v.string(), 'Id of the image in its session; the same image always has the same id'),
  mimeType: described(ImageType, 'Media type, according to the content'),
  bytes: described(v.number(), 'Size in bytes'),
  width: described(v.number(), 'Width in pixels'),
  height: described(v.number(), 'Height in pixels'),
});
export type PromptImage = v.InferOutput<typeof PromptImage>;
