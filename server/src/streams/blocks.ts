/** Blocks kept for reuse: rarely are this many readers behind at once. */
const FREE_MAX = 8;

const free: Buffer[] = [];

/** A buffer for reading stored output. Without reuse, garbage from a flood of output accumulates for seconds. */
export function takeBlock(bytes: number): Buffer {
  const block = free.pop();
  return block?.length === bytes ? block : Buffer.allocUnsafeSlow(bytes);
}

/** Returns a block, which must no longer be used. */
export function releaseBlock(block: Buffer): void {
  if (free.length < FREE_MAX) free.push(block);
}
