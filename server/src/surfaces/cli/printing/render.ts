import type { Contract } from '@agent-console/shared/operation';
import { stripControls } from '@agent-console/shared/text';
import type { ConsoleClient } from '../client.ts';
import { toJson, withNpx } from '../output.ts';
import { rawValueOf } from './cells.ts';
import { detailsOf } from './details.ts';
import { describe, toFieldLines, toYaml } from './fields.ts';
import { namesOfRows } from './names-of-rows.ts';
import { screenOf } from './screen.ts';
import { toTable } from './table.ts';

export const FORMATS = ['table', 'wide', 'json', 'yaml'] as const;
export type Format = (typeof FORMATS)[number];

/**
 * Returns the text that a command prints for the output of its operation, with a final line break unless the text is
 * empty.
 */
export async function render(
  client: ConsoleClient,
  contract: Contract,
  output: unknown,
  format: Format,
): Promise<string> {
  if (format === 'json') return `${toJson(output)}\n`;
  if (format === 'yaml') return toYaml(output);
  return renderForPeople(client, contract, output, format === 'wide');
}

async function renderForPeople(
  client: ConsoleClient,
  contract: Contract,
  output: unknown,
  wide: boolean,
): Promise<string> {
  const { prints, text, patch, rows: rowsField, columns } = contract.cli ?? {};
  const fields = (typeof output === 'object' && output !== null ? output : {}) as Record<string, unknown>;
  const printed = prints === undefined ? undefined : fields[prints];
  if (typeof printed === 'string') return printed === '' ? '' : `${stripControls(printed.replace(/\n$/, ''))}\n`;
  if (text !== undefined) return withNpx(stripControls(text(output as never)));
  if (patch !== undefined) return patchForOutput(patch(output as never));
  if (rowsField !== undefined && columns !== undefined) {
    const { [rowsField]: rows, ...rest } = fields;
    const names = await namesOfRows(client, columns, rows as unknown[]);
    const head = Object.keys(rest).length === 0 ? '' : `${toFieldLines(rest)}\n`;
    return `${head}${toTable(columns, rows as unknown[], { wrap: true, wide, names })}\n`;
  }
  if (columns !== undefined && Array.isArray(fields.data)) {
    const rows: unknown[] = fields.data;
    const names = await namesOfRows(client, columns, rows);
    const table = rows.length === 0 ? 'No results.' : toTable(columns, rows, { wide, names });
    const hasMore = typeof fields.total === 'number' && fields.total > rows.length;
    const more = `Showing ${rows.length} of ${fields.total} results. Use --skip and --limit for more.\n`;
    return `${table}\n${hasMore ? more : ''}`;
  }
  const details = detailsOf(contract, fields);
  if (details === undefined) return `${toFieldLines(output)}\n`;
  const names = await namesOfRows(client, details.lines, [output]);
  const tables = details.tables.flatMap(({ path, title, columns: of }) => {
    const rows = rawValueOf(output, path);
    return Array.isArray(rows) && rows.length > 0 ? [`\n${title}\n${toTable(of, rows, { wide })}\n`] : [];
  });
  return `${describe(details.lines, output, { wide, names })}\n${tables.join('')}`;
}

/**
 * Removes control characters from a patch and colours its lines on a terminal. Elsewhere the patch is unchanged, so that
 * `git apply` accepts it.
 */
function patchForOutput(text: string): string {
  if (!process.stdout.isTTY) return text;
  const patch = stripControls(text);
  if (!screenOf().hasColor) return patch;
  const code = (line: string) =>
    line.startsWith('@@') ? 36 : line.startsWith('+') ? 32 : line.startsWith('-') ? 31 : 0;
  const color = (line: string) => (code(line) === 0 ? line : `\u001b[${code(line)}m${line}\u001b[39m`);
  return patch.split('\n').map(color).join('\n');
}
