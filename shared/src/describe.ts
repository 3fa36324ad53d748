import * as v from 'valibot';

/** Returns the schema with a description, which OpenAPI, command help and tool arguments show. */
export function described<S extends v.GenericSchema>(schema: S, description: string): S {
  // A pipe copies the properties of its first schema, so the result has every member of its type.
  return v.pipe(schema, v.description(description)) as unknown as S;
}
