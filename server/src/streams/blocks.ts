/** Blocks kept for reuse: as many readers rarely are behind at the same moment. */
const KEPT = 8;

const free: Buffer[] = [];

/** A buffer to read stored output into. Without reuse, the garbage of a flood grows for seconds. */
export function takeBlock(bytes: number): Buffer {
  const block = free.pop();
  return block?.length === bytes ? block : Buffer.allocUnsafeSlow(bytes);
}

/** Gives a block back; nobody may look into it any more. */
export function giveBlock(block: Buffer): void {
  if (free.length < KEPT) free.push(block);
}
