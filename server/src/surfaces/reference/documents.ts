import { definitionSchemaText } from '../rest/definition-schema.ts';
import { accessReference } from './access.ts';
import { cliReference } from './cli.ts';
import { errorsReference } from './errors.ts';
import { mcpReference } from './mcp.ts';

/** Generators of the documents in `docs/reference` by file name. Their output is deterministic. */
export const REFERENCE: Readonly<Record<string, () => string>> = {
  'access.md': accessReference,
  'cli.md': cliReference,
  'errors.md': errorsReference,
  'mcp.md': mcpReference,
  'orchestration.schema.json': definitionSchemaText,
};
