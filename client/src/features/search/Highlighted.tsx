import { markHidden } from '../../ui/UntrustedText.tsx';

/** Text with marked parts. The text is never parsed as HTML. */
export function Highlighted({ text, marks }: { text: string; marks: readonly { start: number; end: number }[] }) {
  return (
    <bdi className="break-words">
      {marks.map(({ start, end }, index) => (
        <span key={start}>
          {markHidden(text.slice(marks[index - 1]?.end ?? 0, start))}
          <mark className="rounded-sm bg-needs-bg font-semibold text-text">{markHidden(text.slice(start, end))}</mark>
        </span>
      ))}
      {markHidden(text.slice(marks.at(-1)?.end ?? 0))}
    </bdi>
  );
}
