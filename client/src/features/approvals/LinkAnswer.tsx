import type { Approval } from '@agent-console/shared/models/approval';
import { ANSWERS } from '@agent-console/shared/models/approval';
import { Button } from '../../ui/Button.tsx';
import { Quote } from '../../ui/LinkQuestion.tsx';
import { UntrustedText } from '../../ui/UntrustedText.tsx';
import { parseWebUrl } from '../../ui/web-url.ts';

/** A link that an agent asks a person to open, with its whole address. Opening the link accepts the request. */
export function LinkAnswer(props: { approval: Approval; disabled: boolean; onAnswer(optionId: string): void }) {
  const { approval, disabled, onAnswer } = props;
  const url = parseWebUrl(approval.url ?? '');
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Quote text={url?.href ?? approval.url ?? ''} />
      <div className="flex flex-wrap gap-1.5">
        {url === undefined ? null : (
          <a
            aria-disabled={disabled || undefined}
            className="inline-flex h-8 min-w-0 max-w-full items-center rounded-md border border-accent bg-accent px-2.5 font-medium text-on-accent hover:opacity-90 aria-disabled:opacity-50 max-md:h-11 max-md:flex-1 max-md:justify-center"
            data-answer=""
            href={url.href}
            onClick={(event) => (disabled ? event.preventDefault() : onAnswer(ANSWERS.accept))}
            rel="noopener noreferrer"
            target="_blank"
          >
            <span className="truncate">Open {url.host}</span>
          </a>
        )}
        {approval.options
          .filter(({ id }) => id !== ANSWERS.accept)
          .map(({ id, label }) => (
            <Button
              aria-disabled={disabled || undefined}
              className="h-8 max-md:h-11 max-md:flex-1"
              key={id}
              onClick={disabled ? undefined : () => onAnswer(id)}
            >
              <UntrustedText text={label} />
            </Button>
          ))}
      </div>
    </div>
  );
}
