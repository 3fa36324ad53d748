import { stripControls } from '@agent-console/shared/text';
import { print } from './output.ts';

const LEVELS: Readonly<Record<number, string>> = { 40: 'warning', 50: 'error', 60: 'fatal' };

/** Shows the server's log, which is JSON for tools, as lines for people. */
export class LogLines {
  #rest = '';

  /** Takes the next piece of the log and prints the lines that are complete. */
  push(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') print(readable(line));
  }
}

function readable(line: string): string {
  try {
    const { level, time, msg, ...facts } = JSON.parse(line) as { level: number; time: number; msg?: string };
    const clock = new Date(time).toTimeString().slice(0, 8);
    const grave = LEVELS[level] === undefined ? '' : `${LEVELS[level]}: `;
    const more = Object.keys(facts).length === 0 ? '' : ` ${JSON.stringify(facts)}`;
    return stripControls(`${clock} ${grave}${msg ?? ''}${more}`);
  } catch {
    // Written by something else than the log, such as Node itself.
    return stripControls(line);
  }
}
