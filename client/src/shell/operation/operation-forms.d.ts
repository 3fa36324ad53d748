declare module 'virtual:operation-forms' {
  import type { Access, Effect, Noun } from '@agent-console/shared/operation';
  import type { OperationName } from '@agent-console/shared/operations/table';

  /** What is read here of a JSON Schema. */
  export interface InputSchema {
    type?: string | readonly string[];
    description?: string;
    default?: unknown;
    enum?: readonly string[];
    anyOf?: readonly InputSchema[];
    items?: InputSchema;
    properties?: Readonly<Record<string, InputSchema>>;
    required?: readonly string[];
    maxLength?: number;
    pattern?: string;
  }

  export interface OperationForm {
    summary: string;
    effect: Effect;
    access: Access;
    /** Fields that hold ids, with their noun. */
    ids?: Readonly<Record<string, Noun>>;
    /** How the CLI calls it. */
    command?: string;
    /** Fields that the CLI takes by position. */
    positional?: readonly string[];
    input: InputSchema;
  }

  /** Every operation as a form. */
  export const FORMS: Readonly<Record<OperationName, OperationForm>>;
}
