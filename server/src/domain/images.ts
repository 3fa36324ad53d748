import type { ImageType, PromptImage } from '@agent-console/shared/models/image';

export type ImageFacts = Pick<PromptImage, 'mimeType' | 'width' | 'height'>;

/** File extensions, by which agents recognize images. */
export const EXTENSIONS: Readonly<Record<ImageType, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
};

/**
 * Returns the type and size of an image, read from its content; null if the content does not begin with a complete
 * header of a supported type, or if the width or height is 0.
 */
export function readImage(bytes: Buffer): ImageFacts | null {
  const facts = readPng(bytes) ?? readGif(bytes) ?? readWebp(bytes) ?? readJpeg(bytes);
  return facts === null || facts.width === 0 || facts.height === 0 ? null : facts;
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function readPng(bytes: Buffer): ImageFacts | null {
  if (bytes.length < 24 || !bytes.subarray(0, 8).equals(PNG) || ascii(bytes, 12, 16) !== 'IHDR') return null;
  return { mimeType: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function readGif(bytes: Buffer): ImageFacts | null {
  if (bytes.length < 10 || !/^GIF8[79]a$/.test(ascii(bytes, 0, 6))) return null;
  return { mimeType: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/** Reads the size from the first chunk of a WebP file. The format of the size depends on the type of the chunk. */
function readWebp(bytes: Buffer): ImageFacts | null {
  if (bytes.length < 30 || ascii(bytes, 0, 4) !== 'RIFF' || ascii(bytes, 8, 12) !== 'WEBP') return null;
  const sizes: Readonly<Record<string, () => [number, number]>> = {
    'VP8 ': () => [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff],
    VP8L: () => {
      const bits = bytes.readUInt32LE(21);
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    },
    VP8X: () => [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1],
  };
  const size = sizes[ascii(bytes, 12, 16)]?.();
  return size === undefined ? null : { mimeType: 'image/webp', width: size[0], height: size[1] };
}

/** Reads the size from the frame header. Any number of other segments may precede it, e.g. a camera's metadata. */
function readJpeg(bytes: Buffer): ImageFacts | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    // A marker may be preceded by 0xff bytes as padding.
    if (marker === 0xff) at += 1;
    else if (isFrameHeader(marker)) {
      return { mimeType: 'image/jpeg', height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    } else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return null;
}

/** Frame headers are SOF0 to SOF15. Three other markers in the same range are excluded: DHT, JPG and DAC. */
const isFrameHeader = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

const ascii = (bytes: Buffer, from: number, to: number) => bytes.toString('latin1', from, to);

/**
 * Returns a prompt followed by the paths of its images, from which an agent in a terminal reads the images. No line
 * ends with a path: some agents would show a placeholder in place of that line, and the input line would not show the
 * typed text.
 */
export function withImagePaths(prompt: string, paths: readonly string[]): string {
  if (paths.length === 0) return prompt;
  return `${prompt}\n\n${paths.map((path, index) => `[Image ${index + 1}: ${path}]`).join('\n')}`;
}
