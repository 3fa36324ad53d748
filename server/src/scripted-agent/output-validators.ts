import type { jsonSchemaValidator } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';

type Schema = Parameters<jsonSchemaValidator['getValidator']>[0];

const ajv = new AjvJsonSchemaValidator();
const compiled = new Map<string, ReturnType<typeof ajv.getValidator>>();

/**
 * Validates results as the MCP client does by default, but compiles the output schema of a tool when the tool first
 * returns a result. The client asks for validators of all listed tools at its first call, and compiling them takes
 * hundreds of milliseconds.
 */
export const outputValidators: jsonSchemaValidator = {
  getValidator<T>(schema: Schema) {
    let validate: ReturnType<typeof ajv.getValidator<T>> | undefined;
    return (result) => {
      validate ??= validatorFor<T>(schema);
      return validate(result);
    };
  },
};

function validatorFor<T>(schema: Schema) {
  const key = JSON.stringify(schema);
  const validator = compiled.get(key) ?? ajv.getValidator(schema);
  compiled.set(key, validator);
  return validator as ReturnType<typeof ajv.getValidator<T>>;
}
