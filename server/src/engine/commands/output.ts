import { stripVTControlCharacters } from 'node:util';
import { COMMAND_TAIL_BYTES, COMMAND_TAIL_CHARS } from '@agent-console/shared/limits/commands';
import type { Runner } from '../../ports/runner.ts';

/**
 * Returns the last part of a command's output as plain text: without escape sequences, and without text that was
 * overwritten after a carriage return, such as earlier states of a progress bar. Empty if the output cannot be read.
 */
export async function outputTail(runner: Pick<Runner, 'extent' | 'read'>, workerId: string): Promise<string> {
  try {
    const { next } = await runner.extent(workerId);
    const { data } = await runner.read(workerId, Math.max(0, next - COMMAND_TAIL_BYTES), COMMAND_TAIL_BYTES);
    return plain(data.toString()).slice(-COMMAND_TAIL_CHARS);
  } catch {
    return '';
  }
}

function plain(printed: string): string {
  const lines = stripVTControlCharacters(printed).replaceAll('\r\n', '\n').split('\n');
  const shown = lines.map((line) => line.split('\r').findLast((part) => part.trim() !== '') ?? '');
  return shown
    .map((line) => line.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '').trimEnd())
    .join('\n')
    .trim();
}
