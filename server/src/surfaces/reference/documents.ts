import { accessReference } from './access.ts';
import { errorsReference } from './errors.ts';
import { mcpReference } from './mcp.ts';
import { restReference } from './rest.ts';

/** The documents of `docs/reference` by their file names; the same table gives the same bytes. */
export const REFERENCE: Readonly<Record<string, () => string>> = {
  'access.md': accessReference,
  'errors.md': errorsReference,
  'mcp.md': mcpReference,
  'rest.md': restReference,
};
