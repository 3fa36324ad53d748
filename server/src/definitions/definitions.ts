import type { OrchestrationDefinitions } from '../ports/definitions.ts';
import { parseDefinition } from './definition.ts';
import { templates } from './templates.ts';

export function createDefinitions(): OrchestrationDefinitions {
  return { templates, parse: parseDefinition };
}
