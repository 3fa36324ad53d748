import { ConsoleError, ERRORS } from '@agent-console/shared/errors';
import { stripControls } from '@agent-console/shared/text';

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Returns JSON without terminal controls. JSON.stringify escapes C0 controls, but not DEL and C1. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /[\x7f-\x9f]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Returns the text with `npx` before each command of the console if npx or npm started this process, because the
 * program is then not on PATH.
 */
export function withNpx(text: string, env: NodeJS.ProcessEnv = process.env): string {
  return env.npm_config_user_agent === undefined
    ? text
    : text.replace(/(?<![\w/.-])agent-console (?=[a-z])/g, 'npx $&');
}

/** Prints an error on stderr and returns its exit status. */
export function reportError(error: unknown, json: boolean): number {
  const known =
    error instanceof ConsoleError
      ? error
      : new ConsoleError('INTERNAL', error instanceof Error ? error.message : String(error), {}, { cause: error });
  process.stderr.write(
    json ? `${toJson(known.toBody())}\n` : `${known.code}: ${withNpx(stripControls(known.message))}\n`,
  );
  return ERRORS[known.code].exit;
}
