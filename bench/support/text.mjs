import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';

const WORDS = [
  'merge',
  'branch',
  'été',
  'Größe',
  'naïve',
  '日本語',
  '測試',
  '✓',
  '🚀',
  'worktree',
  'done',
  '0x1f',
  '—',
];

/**
 * Writes lines of text with characters of one to four bytes.
 * @param {string} file
 * @param {number} bytes approximate size
 * @returns {{bytes: number, sha256: string}} size and hash of the terminal's output, in which each newline is two bytes
 */
export function writeText(file, bytes) {
  let seed = 7;
  const next = (below) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const lines = [];
  for (let length = 0; length < 1_000_000; ) {
    const line = `${Array.from({ length: 6 + next(14) }, () => WORDS[next(WORDS.length)]).join(' ')} ${lines.length}\n`;
    lines.push(line);
    length += Buffer.byteLength(line);
  }
  const block = Buffer.from(lines.join(''));
  const shown = Buffer.from(lines.join('').replaceAll('\n', '\r\n'));
  const times = Math.max(1, Math.round(bytes / block.length));
  const hash = createHash('sha256');
  writeFileSync(file, '');
  for (let n = 0; n < times; n += 1) {
    writeFileSync(file, block, { flag: 'a' });
    hash.update(shown);
  }
  return { bytes: shown.length * times, sha256: hash.digest('hex') };
}

/**
 * Returns the command line that prints a file. It turns echo off, prints `ready`, waits for Enter, and becomes `cat`.
 */
export function catCommand(file) {
  return `exec /bin/sh -c 'stty -echo; printf "rea%s" dy; read go; exec cat "$0"' ${file}\r`;
}

/** Printed by the shell once it waits for Enter; the typed command itself does not contain this text. */
export const READY = 'ready';
