import type { jsonSchemaValidator } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';

const ajv = new AjvJsonSchemaValidator();
const compiled = new Map<string, ReturnType<typeof ajv.getValidator>>();

/** Validates what tools answer as a client does by itself, but compiles each schema once for all clients of a process. */
export const outputValidators: jsonSchemaValidator = {
  getValidator<T>(schema: Parameters<typeof ajv.getValidator>[0]) {
    const key = JSON.stringify(schema);
    const validator = compiled.get(key) ?? ajv.getValidator(schema);
    compiled.set(key, validator);
    return validator as ReturnType<typeof ajv.getValidator<T>>;
  },
};
