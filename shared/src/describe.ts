import * as v from 'valibot';

/** The same schema with a description. OpenAPI, command help and tool arguments show it. */
export function described<S extends v.GenericSchema>(schema: S, description: string): S {
  // A pipe spreads its first schema, so everything that the type promises is there.
  return v.pipe(schema, v.description(description)) as unknown as S;
}
