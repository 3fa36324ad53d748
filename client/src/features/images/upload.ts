import { ConsoleError } from '@agent-console/shared/errors';
import { IMAGE_MAX_BYTES, IMAGE_MAX_SIDE_PX } from '@agent-console/shared/limits/images';
import type { PromptImage } from '@agent-console/shared/models/image';
import { call } from '../../api/call.ts';

/**
 * Length of the longer side to which an image is scaled down if it is too large. Models scale larger images down
 * themselves.
 */
const SCALED_SIDE_PX = 2_048;
const SCALED_QUALITY = 0.9;

/** Uploads an image for a prompt of a session. Scales it down if it is too large. */
export async function uploadImage(sessionId: string, file: Blob): Promise<PromptImage> {
  const data = await base64Of(await scaledDown(file));
  return call('sessions.addImage', { sessionId, data });
}

async function scaledDown(file: Blob): Promise<Blob> {
  const bitmap = await createImageBitmap(file).catch(() => null);
  // A file that the browser cannot decode is uploaded unchanged, so that the console reports the problem.
  if (bitmap === null) return file;
  const side = Math.max(bitmap.width, bitmap.height);
  if (file.size <= IMAGE_MAX_BYTES && side <= IMAGE_MAX_SIDE_PX) return file;
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
