import type { ReactNode } from 'react';
import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { CutNote } from './CutNote.tsx';
import { Code } from './markdown/CodeBlock.tsx';
import { Markdown } from './markdown/Markdown.tsx';
import { unfenced } from './read-tool-call.ts';
import { ToolDiffView } from './ToolDiffView.tsx';
import { ToolTerminal } from './ToolTerminal.tsx';
import type { EndedTerminal, ToolCall } from './tool-call.ts';
import type { ToolDiff } from './tool-diff.ts';

/** Number of characters of a text that are shown before the reader expands it. */
const SHOWN_CHARS = 8_000;

export function ToolCallDetails(props: {
  call: ToolCall;
  diffs: readonly { path: string; diff: ToolDiff }[];
  sessionId: string;
}) {
  const { call, diffs, sessionId } = props;
  const isCommand = call.kind === 'execute';
  return (
    <div className="divide-y divide-line">
      {isCommand && call.title.includes('\n') ? <Text label="Command" text={call.title} /> : null}
      {call.input === '' ? null : <Text label={isCommand ? 'Command' : 'Input'} text={call.input} />}
      {diffs.map(({ path, diff }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a file may be changed twice
        <Section key={index} label={diffs.length === 1 ? '' : path}>
          <div className={diffs.length === 1 ? '' : 'pt-1'}>
            <ToolDiffView diff={diff} path={path} />
          </div>
        </Section>
      ))}
      {call.content.map((each, index) => {
        if (each.type === 'diff') return null;
        if (each.type === 'unstoredDiff') {
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a file may be changed twice
            <Section key={index} label={each.path}>
              <p className="px-3 py-2 text-quiet">
                The change is too large to be shown here. Open the Diff tab to see it.
              </p>
            </Section>
          );
        }
        if (each.type === 'terminal') {
          return each.ended === null ? (
            <ToolTerminal key={each.workerId} sessionId={sessionId} workerId={each.workerId} />
          ) : (
            <EndedOutput ended={each.ended} key={each.workerId} />
          );
        }
        // biome-ignore lint/suspicious/noArrayIndexKey: contents have no ids
        return <ContentText key={index} text={each.text} />;
      })}
      {call.output === '' ? null : <Text label="Output" text={call.output} />}
      {call.isCut ? <CutNote className="px-3 py-2" /> : null}
    </div>
  );
}

/** Output that a terminal printed before it was removed. */
function EndedOutput({ ended: { output, truncated, end } }: { ended: EndedTerminal }) {
  const label = ['Output', truncated ? 'only the last part' : '', end].filter((each) => each !== '').join(', ');
  return output.trim() === '' ? (
    <p className="px-3 py-2 text-sm text-quiet">{end === '' ? 'No output' : `No output, ${end}`}</p>
  ) : (
    <Text label={label} text={output.trimEnd()} />
  );
}

/** Text of a tool call, without a code fence around the whole text. Text with further fences is shown as Markdown. */
function ContentText({ text }: { text: string }) {
  const plain = unfenced(text);
  if (plain.includes('```')) {
    return (
      <div className="max-h-120 overflow-y-auto px-3 py-2">
        <Markdown text={text} />
      </div>
    );
  }
  return <Text label="" text={plain} />;
}

function Text({ label, text }: { label: string; text: string }) {
  const [all, setAll] = useState(false);
  const shown = all || text.length <= SHOWN_CHARS ? text : text.slice(0, SHOWN_CHARS).replace(/[\ud800-\udbff]$/, '');
  return (
    <Section copy={text} label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard */}
      <pre className="tool-text max-h-80 overflow-auto px-3 py-2" tabIndex={0}>
        <Code language={undefined} text={shown} />
      </pre>
      {shown.length === text.length ? null : (
        <Button className="m-2" onClick={() => setAll(true)}>
          {`Show all (${text.length.toLocaleString('en')} characters)`}
        </Button>
      )}
    </Section>
  );
}

function Section({ label, copy, children }: { label: string; copy?: string; children: ReactNode }) {
  return (
    <section className="group/part relative">
      {label === '' ? null : (
        <p className="px-3 pt-2 text-sm text-quiet">
          <UntrustedLine text={label} />
        </p>
      )}
      {copy === undefined ? null : (
        <CopyButton
          className="absolute top-1 right-1 z-10 h-6! w-6 max-md:size-10! bg-bg px-0! opacity-0 focus-visible:opacity-100 group-hover/part:opacity-100 max-md:opacity-100"
          icon
          kind="quiet"
          text={copy}
        />
      )}
      {children}
    </section>
  );
}
