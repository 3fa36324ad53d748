import { ConsoleError } from '@agent-console/shared/errors';
import {
  IMAGE_MAX_BYTES,
  IMAGE_MAX_SIDE_PX,
  PROMPT_IMAGES_MAX,
  PROMPT_IMAGES_MAX_BYTES,
} from '@agent-console/shared/limits/images';
import type { ImageType, PromptImage } from '@agent-console/shared/models/image';
import { call } from '../../api/call.ts';

/**
 * Length, in pixels, of the longer side of an image after it was scaled down. Models would scale a larger image down
 * themselves.
 */
const SCALED_SIDE_PX = 2_048;
const SCALED_QUALITY = 0.9;
/** Types of images that the console accepts. Other types that the browser can show, such as AVIF, are converted. */
const ACCEPTED: Readonly<Record<ImageType, true>> = {
  'image/png': true,
  'image/jpeg': true,
  'image/webp': true,
  'image/gif': true,
};

/** An image that is sent in the same request as the prompt it belongs to. */
export interface ImageToSend {
  imageId: string;
  blob: Blob;
  /** The image as base64. */
  data: string;
  width: number;
  height: number;
}

/** @throws LIMIT_EXCEEDED if a prompt with these images cannot have another image. */
export function refuseTooMany(images: readonly unknown[]): void {
  if (images.length < PROMPT_IMAGES_MAX) return;
  throw new ConsoleError('LIMIT_EXCEEDED', `A prompt can have at most ${PROMPT_IMAGES_MAX} images. Remove one first.`);
}

/**
 * Adds an image to the list, scaled down if it is too large. An image that the list already contains is not added
 * again.
 * @throws VALIDATION if the browser cannot show or read the image, LIMIT_EXCEEDED if there would be too many images or
 * bytes.
 */
export async function withImage(images: readonly ImageToSend[], file: Blob): Promise<readonly ImageToSend[]> {
  refuseTooMany(images);
  const blob = await acceptable(file);
  const bitmap = await createImageBitmap(blob).catch(() => null);
  if (bitmap === null) {
    throw new ConsoleError('VALIDATION', 'The file is not an image that the browser can show. Save it as PNG or JPEG.');
  }
  const { width, height } = bitmap;
  bitmap.close();
  const data = await base64Of(blob);
  if (images.some((image) => image.data === data)) return images;
  const all = [...images, { imageId: crypto.randomUUID(), blob, data, width, height }];
  if (all.reduce((sum, image) => sum + image.blob.size, 0) > PROMPT_IMAGES_MAX_BYTES) {
    const most = PROMPT_IMAGES_MAX_BYTES.toLocaleString('en');
    const message = `Together, the images of a prompt can have at most ${most} bytes. Remove one, or use a smaller one.`;
    throw new ConsoleError('LIMIT_EXCEEDED', message);
  }
  return all;
}

/** Uploads an image for a prompt of a session, scaled down if it is too large. */
export async function uploadImage(sessionId: string, file: Blob): Promise<PromptImage> {
  const data = await base64Of(await acceptable(file));
  return call('sessions.addImage', { sessionId, data });
}

/**
 * Returns the file itself if the console accepts it, otherwise a copy as WebP. If no copy can be made, returns the file
 * unchanged.
 */
async function acceptable(file: Blob): Promise<Blob> {
  const bitmap = await createImageBitmap(file).catch(() => null);
  // A file that the browser cannot decode is returned unchanged. `withImage` or the console then reports the problem.
  if (bitmap === null) return file;
  const side = Math.max(bitmap.width, bitmap.height);
  if (file.type in ACCEPTED && file.size <= IMAGE_MAX_BYTES && side <= IMAGE_MAX_SIDE_PX) {
    bitmap.close();
    return file;
  }
  const scale = Math.min(1, SCALED_SIDE_PX / side);
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return new Promise((resolve) => {
    canvas.toBlob((blob) => resolve(blob ?? file), 'image/webp', SCALED_QUALITY);
  });
}

function base64Of(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () =>
      reject(
        new ConsoleError('VALIDATION', 'The browser could not read the image. Save it as a file, then try again.'),
      );
    reader.readAsDataURL(file);
  });
}
