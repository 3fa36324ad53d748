import type { Screens } from '../ports/screens.ts';

/** Returns the last `most` characters of the text on a worker's screen; empty if it cannot be read. */
export async function screenTail(screens: Pick<Screens, 'view'>, workerId: string, most: number): Promise<string> {
  const view = await screens.view(workerId, { scrollback: 0, format: 'text' }).catch(() => undefined);
  const lines = view?.text.split('\n').map((line) => line.replace(/\s+/g, ' ').trim()) ?? [];
  return lines
    .filter((line) => /[\p{L}\p{N}]/u.test(line))
    .join('\n')
    .slice(-most);
}
