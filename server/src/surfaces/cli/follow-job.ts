import { ConsoleError } from '@agent-console/shared/errors';
import { JOB_WAIT_SECONDS } from '@agent-console/shared/limits/calls';
import type { CliForm } from '@agent-console/shared/operation';
import { stripControls } from '@agent-console/shared/text';
import type { ConsoleClient } from './client.ts';
import { print, toJson } from './output.ts';
import { toFieldLines, toYaml } from './printing/fields.ts';
import type { Format } from './printing/render.ts';

/** Seconds between updates of the progress that a person sees. */
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
  // Every call by an agent is audited. So an agent's command asks less and less often, or a long job would add hundreds
  // of rows.
  const growth = process.env.AGENT_CONSOLE_WORKER_ID ? 2 : 1;
  let waitSeconds = isForScripts ? JOB_WAIT_SECONDS : PROGRESS_SECONDS;
  let shown = '';
  for (;;) {
    const job = await client.call('jobs.get', { jobId, waitSeconds });
    waitSeconds = Math.min(growth * waitSeconds, JOB_WAIT_SECONDS);
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
