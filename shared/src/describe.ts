import * as v from 'valibot';

/** Returns the schema with a description, which OpenAPI, command help and tool arguments show. */
export function described<S extends v.GenericSchema>(schema: S, description: string): S {
  // Safe cast: a pipe has all properties of its first schema.
  return v.pipe(schema, v.description(description)) as unknown as S;
}

/** Returns the schema of a whole number from `min` to `max`. */
export function wholeNumber(description: string, min: number, max?: number): v.GenericSchema<number> {
  const number = v.pipe(v.number(), v.safeInteger(), v.minValue(min));
  return described(max === undefined ? number : v.pipe(number, v.maxValue(max)), description);
}
