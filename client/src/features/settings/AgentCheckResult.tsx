import type { AgentCheck, AgentCheckFinding, AgentCheckName } from '@agent-console/shared/models/agent-check';
import { Button } from '../../ui/Button.tsx';
import { Progress } from '../../ui/Progress.tsx';

const LABELS: Readonly<Record<AgentCheckName, string>> = {
  program: 'Program',
  version: 'Version',
  login: 'Login',
  start: 'Start',
  tools: 'Tools',
};
const RESULTS: Readonly<Record<AgentCheckFinding['result'], { glyph: string; word: string; colour: string }>> = {
  yes: { glyph: '✓', word: 'works', colour: 'text-added' },
  no: { glyph: '✕', word: 'failed', colour: 'text-failed' },
  unknown: { glyph: '?', word: 'unknown', colour: 'text-needs' },
  skipped: { glyph: '–', word: 'skipped', colour: 'text-quiet' },
};

export function AgentCheckResult(props: {
  name: string;
  result: AgentCheck | undefined;
  busy: boolean;
  /**
   * Checks the agent by sending it a prompt. Undefined if the agent was just checked with a prompt, or does not support
   * such a check.
   */
  onPrompt: (() => void) | undefined;
}) {
  const { name, result, busy, onPrompt } = props;
  if (busy) {
    return (
      <div className="rounded-md bg-sunken px-3 py-2" role="status">
        <Progress
          fraction={undefined}
          label={`Checking ${name} in an empty repository. This may take a few minutes.`}
        />
      </div>
    );
  }
  if (result === undefined) return null;
  const shown = result.checks.filter(({ result }) => result !== 'skipped');
  const skipped = result.checks.filter(({ result }) => result === 'skipped');
  return (
    <section aria-label={`Check of ${name}`} className="flex flex-col gap-2 rounded-md bg-sunken px-3 py-2">
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 flex-1 basis-50 font-medium" role="status">
          <span className={result.ok ? 'text-added' : 'text-needs'}>{result.ok ? '✓' : '▲'}</span>{' '}
          {`${name} ${result.ok ? 'works' : 'is not ready'}`}
        </p>
        {result.ok && onPrompt !== undefined ? (
          <>
            <span className="text-sm text-quiet">A check with a prompt uses tokens</span>
            <Button onClick={onPrompt}>Check with a prompt</Button>
          </>
        ) : null}
      </div>
      <Findings findings={shown} />
      {skipped.length === 0 ? null : (
        <details>
          <summary className="cursor-pointer text-sm text-quiet max-md:py-3">
            Skipped: {skipped.map((each) => LABELS[each.name]).join(', ')}
          </summary>
          <div className="pt-2">
            <Findings findings={skipped} />
          </div>
        </details>
      )}
    </section>
  );
}

function Findings({ findings }: { findings: readonly AgentCheckFinding[] }) {
  return (
    <ul className="grid gap-x-3 gap-y-1 md:grid-cols-[auto_1fr]">
      {findings.map(({ name, result, detail }) => {
        const { glyph, word, colour } = RESULTS[result];
        const [sentence, ...screen] = detail.split('\n');
        return (
          <li className="contents" key={name}>
            <span className="whitespace-nowrap">
              <span aria-label={word} className={`inline-block w-4 ${colour}`} role="img">
                {glyph}
              </span>
              {LABELS[name]}
            </span>
            <div className="min-w-0 pb-1 text-quiet max-md:pl-4">
              <p className="break-words">{sentence}</p>
              {screen.length === 0 ? null : (
                <pre className="mt-1 overflow-x-auto rounded border border-line bg-bg px-2 py-1 font-mono text-sm">
                  {screen.join('\n')}
                </pre>
              )}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
