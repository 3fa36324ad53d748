import type { Message } from '@agent-console/shared/models/message';
import { memo, useMemo } from 'react';
import { UntrustedLine, UntrustedText } from '../../ui/UntrustedText.tsx';
import { Expandable } from './Expandable.tsx';
import { toolCallOf } from './read-tool-call.ts';
import { ToolCallDetails } from './ToolCallDetails.tsx';
import { ToolIcon } from './ToolIcon.tsx';
import type { ToolCall, ToolStatus } from './tool-call.ts';
import { toolDiff } from './tool-diff.ts';
import './tool-call.css';

const STATUS: Record<ToolStatus, { glyph: string; word: string; tone: string }> = {
  pending: { glyph: '○', word: 'waiting', tone: 'text-quiet' },
  in_progress: { glyph: '◐', word: 'running', tone: 'text-quiet animate-pulse-slow' },
  completed: { glyph: '✓', word: 'done', tone: 'text-quiet' },
  failed: { glyph: '✕', word: 'failed', tone: 'text-failed' },
  unknown: { glyph: '', word: '', tone: '' },
};
const UNFINISHED = { glyph: '–', word: 'not finished', tone: 'text-quiet' };

/** A tool call as one line, which expands to show its input, output, changes or terminal. */
export const ToolCallRow = memo(function ToolCallRow(props: {
  message: Message;
  sessionId: string;
  cwd: string;
  /** Whether the tool call belongs to a task that has not ended. */
  active: boolean;
  open: boolean;
  onToggle: (id: string, open: boolean) => void;
}) {
  const { message, cwd, active, open, onToggle } = props;
  const call = useMemo(() => toolCallOf(message, cwd), [message, cwd]);
  const diffs = useMemo(() => diffsOf(call), [call]);
  const status =
    !active && (call.status === 'pending' || call.status === 'in_progress') ? UNFINISHED : STATUS[call.status];
  const additions = diffs.reduce((sum, each) => sum + each.diff.additions, 0);
  const deletions = diffs.reduce((sum, each) => sum + each.diff.deletions, 0);
  const hasDetails = call.isCut || call.content.length > 0 || call.input !== '' || call.output !== '';
  return (
    <Expandable
      details={hasDetails ? () => <ToolCallDetails call={call} diffs={diffs} sessionId={props.sessionId} /> : undefined}
      onToggle={() => onToggle(message.id, !open)}
      open={open}
    >
      <ToolIcon kind={call.kind} />
      {call.tool === '' ? null : <UntrustedText className="shrink-0 font-medium" text={call.tool} />}
      <UntrustedLine
        className={call.kind === 'execute' ? 'font-mono text-sm leading-5' : ''}
        text={firstLineOf(call.title)}
      />
      {call.files.length === 0 ? null : (
        <UntrustedLine
          className="max-w-1/2 shrink-[2] font-mono text-sm leading-5 text-quiet"
          text={call.files.length === 1 ? (call.files[0] ?? '') : `${call.files[0]} and ${call.files.length - 1} more`}
        />
      )}
      {additions + deletions === 0 ? null : (
        <span className="shrink-0 text-sm leading-5 tabular-nums">
          <span className="text-added">+{additions}</span> <span className="text-removed">−{deletions}</span>
        </span>
      )}
      {status.word === '' ? null : (
        <span className={`ml-auto shrink-0 pl-2 text-sm leading-5 ${status.tone}`} title={status.word}>
          <span aria-hidden>{status.glyph}</span>
          <span className={status.word === 'failed' ? 'ml-1' : 'sr-only'}>{status.word}</span>
        </span>
      )}
    </Expandable>
  );
});

function diffsOf({ content }: ToolCall) {
  return content.flatMap((each) =>
    each.type === 'diff' ? [{ path: each.path, diff: toolDiff(each.oldText, each.newText) }] : [],
  );
}

function firstLineOf(title: string): string {
  const [first = '', ...rest] = title.trim().split('\n');
  return rest.length === 0 ? first : `${first} …`;
}
