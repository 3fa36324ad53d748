import { deflateSync } from 'node:zlib';
import type { BrowserContext } from 'playwright-core';

const COLOURS = 256;

/** Reduces a screenshot to a PNG with a palette of 256 colours, which is a third of the size. */
export async function palettePng(context: BrowserContext, screenshot: Buffer): Promise<Buffer> {
  const { width, height, pixels } = await decode(context, screenshot);
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += 4) {
    const colour = pixels.readUIntBE(at, 3);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const palette = paletteOf(counts);
  const indexes = new Map([...counts.keys()].map((colour) => [colour, nearest(palette, colour)]));
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const colour = pixels.readUIntBE((y * width + x) * 4, 3);
      rows[y * (width + 1) + 1 + x] = indexes.get(colour) ?? 0;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits per pixel, with a palette.
  header.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.alloc(palette.length * 3);
  palette.forEach((colour, index) => void colours.writeUIntBE(colour, index * 3, 3));
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Decodes an image to 4 bytes per pixel. Uses an empty page, which has no content security policy. */
async function decode(context: BrowserContext, image: Buffer) {
  const page = await context.newPage();
  const { width, height, data } = await page.evaluate(async (encoded) => {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes]));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    if (canvas === null) throw new Error('This browser has no canvas.');
    canvas.drawImage(bitmap, 0, 0);
    const { data: all } = canvas.getImageData(0, 0, bitmap.width, bitmap.height);
    let text = '';
    for (let at = 0; at < all.length; at += 8_192) text += String.fromCharCode(...all.subarray(at, at + 8_192));
    return { width: bitmap.width, height: bitmap.height, data: btoa(text) };
  }, image.toString('base64'));
  await page.close();
  return { width, height, pixels: Buffer.from(data, 'base64') };
}

/** Returns the most used colours. Saturated colours count more than greys, because they are rare but show states. */
function paletteOf(counts: ReadonlyMap<number, number>): number[] {
  const weight = ([colour, pixels]: readonly [number, number]) => {
    const channels = channelsOf(colour);
    return pixels * (1 + Math.max(...channels) - Math.min(...channels));
  };
  const byWeight = [...counts].sort((a, b) => weight(b) - weight(a));
  return byWeight.slice(0, COLOURS).map(([colour]) => colour);
}

function channelsOf(colour: number): number[] {
  return [16, 8, 0].map((bits) => (colour >> bits) & 255);
}

function nearest(palette: readonly number[], colour: number): number {
  const wanted = channelsOf(colour);
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  palette.forEach((each, index) => {
    const distance = channelsOf(each).reduce((sum, value, at) => sum + (value - (wanted[at] ?? 0)) ** 2, 0);
    if (distance >= least) return;
    least = distance;
    best = index;
  });
  return best;
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(named, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
