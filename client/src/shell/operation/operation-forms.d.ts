declare module 'virtual:operation-forms' {
  import type { Access, Effect, Noun } from '@agent-console/shared/operation';
  import type { OperationName } from '@agent-console/shared/operations/table';

  /** The part of JSON Schema that the forms of operations use. */
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
    /** Kind of entity whose id a field contains, by the name of the field. */
    ids?: Readonly<Record<string, Noun>>;
    command?: string;
    /** Names of the fields that are positional arguments of the CLI command. */
    positional?: readonly string[];
    input: InputSchema;
  }

  export const FORMS: Readonly<Record<OperationName, OperationForm>>;
}
