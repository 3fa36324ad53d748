import type { Host } from '../../ports/host.ts';
import type { WorkerRow } from '../../ports/rows.ts';
import type { Screens } from '../../ports/screens.ts';

/** The last text that an agent showed to people, and whether the text was on its screen or in its error output. */
export interface LastOutput {
  on: 'screen' | 'errors';
  /** Empty if the agent showed no text. */
  text: string;
}

const HEADINGS: Readonly<Record<LastOutput['on'], string>> = {
  screen: 'Last lines on its screen:',
  errors: 'Last lines of its error output:',
};

/**
 * Returns the last `maxChars` characters on the screen of an agent. For an agent without a terminal, returns those of
 * its standard error, because its standard output contains protocol messages.
 */
export async function lastOutput(
  { screens, host }: { screens: Pick<Screens, 'view'>; host: Pick<Host, 'readErrors'> },
  { id, protocol }: Pick<WorkerRow, 'id' | 'protocol'>,
  maxChars: number,
): Promise<LastOutput> {
  if (protocol !== null) return { on: 'errors', text: tailOf(await host.readErrors(id), maxChars) };
  const view = await screens.view(id, { scrollback: 0, format: 'text' }).catch(() => undefined);
  return { on: 'screen', text: tailOf(view?.text ?? '', maxChars) };
}

/**
 * Returns an agent's last output, below a heading that says where the agent showed it; empty if the agent showed no
 * text.
 */
export const withHeading = ({ on, text }: LastOutput): string => (text === '' ? '' : `${HEADINGS[on]}\n${text}`);

function tailOf(text: string, maxChars: number): string {
  return text
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => /[\p{L}\p{N}]/u.test(line))
    .join('\n')
    .slice(-maxChars);
}
