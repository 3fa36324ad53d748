import type { DefinedOrchestration } from '@agent-console/shared/definition-file';
import type { DefinitionParameter } from '@agent-console/shared/models/orchestration-definition';

/** A definition of an orchestration without mistakes. */
export interface Definition {
  name: string;
  description: string;
  parameters: readonly DefinitionParameter[];
  /** SHA-256 of the text. */
  contentHash: string;
  text: string;
  /**
   * Returns the orchestration for these parameters. Values for parameters of other types than string may be texts, as
   * typed on a command line.
   * @throws VALIDATION for unknown, missing and invalid parameters, and for an orchestration that is invalid with them,
   * with the line.
   */
  expand(values: Readonly<Record<string, unknown>>): DefinedOrchestration;
}

/** Definitions of orchestrations: those shipped with the console, and a reader for others. */
export interface OrchestrationDefinitions {
  templates(): readonly Definition[];
  /**
   * Reads a definition file.
   * @param file name for messages
   * @throws VALIDATION with `details.problems`, each with line and column.
   */
  parse(text: string, file: string): Definition;
}
