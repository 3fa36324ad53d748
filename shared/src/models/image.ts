import * as v from 'valibot';
import { described } from '../describe.ts';
import { IMAGE_BASE64_MAX_CHARS, IMAGE_MAX_BYTES } from '../limits/images.ts';

/** Media types of images in prompts: those that the models of all supported agents accept. */
export const ImageType = v.picklist(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);
export type ImageType = v.InferOutput<typeof ImageType>;

export const ImageData = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(
    IMAGE_BASE64_MAX_CHARS,
    `the image is larger than ${IMAGE_MAX_BYTES.toLocaleString('en')} bytes; scale it down`,
  ),
  v.description('The image as base64: PNG, JPEG, WebP or GIF'),
);

/** Id of an uploaded image, derived from its content. */
export const ImageId = v.pipe(
  v.string(),
  v.regex(/^[0-9a-f]{32}$/, 'must be the imageId that POST /sessions/{sessionId}/images returned'),
);

export const PromptImage = v.object({
  imageId: described(v.string(), 'Id of the image in its session; the same image always has the same id'),
  mimeType: described(ImageType, 'Media type of the image, according to its content'),
  bytes: described(v.number(), 'Size of the image in bytes'),
  width: described(v.number(), 'Width of the image in pixels'),
  height: described(v.number(), 'Height of the image in pixels'),
});
export type PromptImage = v.InferOutput<typeof PromptImage>;
