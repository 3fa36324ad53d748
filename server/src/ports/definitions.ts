import type { DefinedOrchestration } from '@agent-console/shared/definition-file';
import type { DefinitionParameter } from '@agent-console/shared/models/orchestration-definition';

/** A valid definition of an orchestration. */
export interface Definition {
  name: string;
  description: string;
  parameters: readonly DefinitionParameter[];
  /** SHA-256 of `text`. */
  contentHash: string;
  text: string;
  /**
   * Returns the orchestration for these parameters. The value of a parameter whose type is not string may be passed as
   * text, as typed on a command line.
   * @throws VALIDATION for unknown, missing and invalid parameters, and if the orchestration is invalid with these
   * values. The error about an invalid orchestration names the line.
   */
  expand(values: Readonly<Record<string, unknown>>): DefinedOrchestration;
}

/** The orchestration definitions that are shipped with the console, and a parser for others. */
export interface OrchestrationDefinitions {
  templates(): readonly Definition[];
  /**
   * Reads a definition file.
   * @param file name of the file, used in messages
   * @throws VALIDATION with `details.problems`, each with line and column.
   */
  parse(text: string, file: string): Definition;
}
