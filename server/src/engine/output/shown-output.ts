import { lastCompleteCharacter, onlyAddsLines, plainLines } from '../../domain/output-text.ts';
import type { Runner } from '../../ports/runner.ts';
import type { Screens } from '../../ports/screens.ts';

interface Sources {
  runner: Pick<Runner, 'read' | 'extent'>;
  screens: Pick<Screens, 'lines'>;
}

/** Returns the newest output of a terminal, at most `maxBytes` of it, as the lines that the terminal shows. */
export async function shownOutput(
  { runner, screens }: Sources,
  workerId: string,
  maxBytes: number,
): Promise<{ text: string; truncated: boolean }> {
  const { data, truncated } = await readTail(runner, workerId, maxBytes);
  const raw = data.toString('utf8');
  if (onlyAddsLines(raw)) return { text: plainLines(raw), truncated };
  const output = { lead: Buffer.alloc(0), data, ended: true };
  return { text: await screens.lines(workerId, output).catch(() => plainLines(raw)), truncated };
}

/** Returns the newest bytes of a terminal's output, without incomplete characters at the beginning or the end. */
export async function readTail(
  runner: Sources['runner'],
  workerId: string,
  maxBytes: number,
): Promise<{ data: Buffer; truncated: boolean }> {
  const { first, next } = await runner.extent(workerId);
  const from = Math.max(first, next - maxBytes);
  const pieces: Buffer[] = [];
  for (let at = from; at < next; ) {
    const { offset, data } = await runner.read(workerId, at, next - at);
    if (data.length === 0) break;
    pieces.push(Buffer.from(data));
    at = offset + data.length;
  }
  const data = Buffer.concat(pieces);
  let start = 0;
  while (from > 0 && start < 4 && ((data[start] ?? 0) & 0b1100_0000) === 0b1000_0000) start += 1;
  return { data: data.subarray(start, lastCompleteCharacter(data)), truncated: from > 0 };
}
