import { ConsoleError } from '@agent-console/shared/errors';
import type { CliForm } from '@agent-console/shared/operation';
import { stripControls } from '@agent-console/shared/text';
import type { ConsoleClient } from './client.ts';
import { print, toJson } from './output.ts';
import { toFieldLines, toYaml } from './printing/fields.ts';
import type { Format } from './printing/render.ts';

/** Seconds between updates of the progress. */
const PROGRESS_SECONDS = 1;

/**
 * Waits for a job, shows its phases on stderr, and prints its result, with a note on stderr if `noteOf` returns one. Sets
 * the exit status to 1 if `isSuccess` returns false for the result.
 * @throws ConsoleError with the error of a failed job.
 */
export async function followJob(
  client: ConsoleClient,
  { jobId }: { jobId: string },
  { isSuccess, noteOf }: NonNullable<CliForm['job']>,
  format: Format,
): Promise<void> {
  const isForScripts = format === 'json' || format === 'yaml';
  let shown = '';
  for (;;) {
    const job = await client.call('jobs.get', { jobId, waitSeconds: PROGRESS_SECONDS });
    if (job.state === 'failed')
      throw ConsoleError.fromBody({ error: job.error }) ?? new ConsoleError('INTERNAL', 'The job failed.');
    if (job.state === 'succeeded') {
      const result = job.result ?? {};
      if (format === 'json') print(toJson(result));
      else print(format === 'yaml' ? toYaml(result).trimEnd() : toFieldLines(result));
      const note = noteOf?.(result);
      if (note !== undefined && !isForScripts) process.stderr.write(`${stripControls(note)}\n`);
      if (!isSuccess(result)) process.exitCode = 1;
      return;
    }
    const { phase } = job.progress;
    if (phase !== shown && !isForScripts) process.stderr.write(`${stripControls(phase)}…\n`);
    shown = phase;
  }
}
