import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
};
/** A line by which the console refers to an image in a prompt for an agent in a terminal. */
const IMAGE_LINE = /^\[Image \d+: (\/.*)\] *$/;

/** Describes an image, so that a test can tell whether the agent got it unchanged. */
export function imageFacts(type: string, bytes: Buffer): string {
  return `${type}, ${bytes.length} bytes, ${createHash('sha256').update(bytes).digest('hex').slice(0, 8)}`;
}

/** Splits a prompt into its text and the paths of its images. */
export function splitImages(prompt: string): { text: string; paths: string[] } {
  const lines = prompt.split('\n');
  const paths = lines.flatMap((line) => IMAGE_LINE.exec(line)?.[1] ?? []);
  return { text: paths.length === 0 ? prompt : lines.filter((line) => !IMAGE_LINE.test(line)).join('\n'), paths };
}

export function readImages(paths: readonly string[]): Promise<string[]> {
  return Promise.all(
    paths.map(async (path) => imageFacts(TYPES[extname(path)] ?? 'unknown type', await readFile(path))),
  );
}
