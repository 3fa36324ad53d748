export type Step = { type: 'command'; name: string; rest: string } | { type: 'plain'; text: string };

export interface ParsedPrompt {
  steps: Step[];
  /** The argument of `@after`, and the lines after it, which run in a later turn. */
  after: { argument: string; lines: string } | null;
}

/**
 * Parses a prompt. Of the lines before `@after`, those that begin with `@` are commands. All others together form one
 * step, at the position of the first of them.
 */
export function parsePrompt(text: string): ParsedPrompt {
  const lines = text.split(/\r\n|\r|\n/);
  const cut = lines.findIndex((line) => command(line)?.name === 'after');
  const now = cut < 0 ? lines : lines.slice(0, cut);
  const plain = now
    .filter((line) => !line.startsWith('@'))
    .join('\n')
    .trim();
  const first = now.findIndex((line) => !line.startsWith('@') && line.trim() !== '');
  const steps = now.flatMap((line, index): Step[] => {
    const step = command(line);
    if (step) return [{ type: 'command', ...step }];
    return index === first ? [{ type: 'plain', text: plain }] : [];
  });
  const after =
    cut < 0 ? null : { argument: command(lines[cut] ?? '')?.rest ?? '', lines: lines.slice(cut + 1).join('\n') };
  return { steps, after };
}

function command(line: string): { name: string; rest: string } | null {
  const [, name, rest] = /^@(\S*)\s*(.*)$/s.exec(line) ?? [];
  return name === undefined ? null : { name, rest: rest ?? '' };
}
