import type { OrchestrationDefinitions } from '../ports/definitions.ts';
import { parseDefinition } from './definition.ts';
import { templates } from './templates.ts';

/** Creates the reader of definition files. */
export function createDefinitions(): OrchestrationDefinitions {
  return { templates, parse: parseDefinition };
}
