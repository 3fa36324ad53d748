import { describe, expect, it } from 'vitest';
import { readImage, withImagePaths } from '../../src/domain/images.ts';
import { png } from '../support/images.ts';

const riff = (chunk: string, rest: string) =>
  Buffer.concat([Buffer.from(`RIFF\0\0\0\0WEBP${chunk}\0\0\0\0`, 'latin1'), Buffer.from(rest, 'hex')]);
const jpeg = (segments: string) => Buffer.from(`ffd8${segments}0000`, 'hex');
const FRAME = 'ffc0001108004000600300';

describe('the type and size of an image are read from its content', () => {
  it.each([
    ['a PNG', png(3, 2), 'image/png', 3, 2],
    ['a GIF', Buffer.from('GIF89a\x03\x00\x02\x00', 'latin1'), 'image/gif', 3, 2],
    ['a lossy WebP', riff('VP8 ', '000000 9d012a 0300 0200'.replaceAll(' ', '')), 'image/webp', 3, 2],
    ['a lossless WebP', riff('VP8L', '2f02400000000000000000'), 'image/webp', 3, 2],
    ['an extended WebP', riff('VP8X', '00000000020000010000'), 'image/webp', 3, 2],
    ['a JPEG', jpeg(FRAME), 'image/jpeg', 96, 64],
    ['a JPEG behind metadata and fill bytes', jpeg(`ffe10006aabbccddff${FRAME}`), 'image/jpeg', 96, 64],
    ['a JPEG whose tables come first', jpeg(`ffc40004aabb${FRAME}`), 'image/jpeg', 96, 64],
  ])('%s', (_, bytes, mimeType, width, height) => {
    expect(readImage(bytes)).toEqual({ mimeType, width, height });
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a page that claims to be an image', Buffer.from('<svg onload="alert(1)"></svg>')],
    ['a PNG that is cut', png(3, 2).subarray(0, 20)],
    ['an image without pixels', png(0, 2)],
    ['a JPEG without a frame', jpeg('ffe10006aabbccdd')],
    ['a JPEG with a segment beyond its end', jpeg('ffe1ffff')],
    ['a WebP with an unknown chunk', riff('ANIM', '00'.repeat(20))],
  ])('%s is not an image', (_, bytes) => {
    expect(readImage(bytes)).toBeNull();
  });
});

it('a prompt names the paths of its images below its text, and no line ends with a path', () => {
  expect(withImagePaths('look', [])).toBe('look');
  expect(withImagePaths('look', ['/a b/1.png', '/2.gif'])).toBe('look\n\n[Image 1: /a b/1.png]\n[Image 2: /2.gif]');
});
