import type { PullRequest } from '@agent-console/shared/models/pull-request';
import { useId, useState } from 'react';
import { escapeHidden } from '../../ui/hidden-characters.ts';
import { LinkQuestion, QuestionBox } from '../../ui/LinkQuestion.tsx';

/** Button that asks whether to open a page. The question shows the address of the page. */
export function PageLink({ url, text, title }: { url: string; text: string; title?: string }) {
  const [asking, setAsking] = useState(false);
  const id = useId();
  return (
    <>
      <button
        className="w-fit rounded text-accent hover:underline max-md:py-3"
        onClick={() => setAsking(true)}
        title={escapeHidden(title ?? url)}
        type="button"
      >
        {text}
      </button>
      {asking ? (
        <QuestionBox labelId={id} onClose={() => setAsking(false)}>
          <LinkQuestion
            address={url}
            labelId={id}
            note="The address comes from the command that creates the pull request."
            onClose={() => setAsking(false)}
          />
        </QuestionBox>
      ) : null}
    </>
  );
}

const CHECKS = { pending: 'checks running', passed: 'checks passed', failed: 'checks failed' } as const;
const REVIEWS = {
  required: 'review required',
  approved: 'approved',
  changes_requested: 'changes requested',
} as const;

export function PullRequestFact({ pullRequest }: { pullRequest: PullRequest }) {
  const { number, url, title, state, checks, review } = pullRequest;
  const name = number === null ? 'Pull request' : `#${number}`;
  const facts = [
    ...(state === 'unknown' ? [] : [state]),
    ...(checks === null ? [] : [CHECKS[checks]]),
    ...(review === null ? [] : [REVIEWS[review]]),
  ];
  const isBad = checks === 'failed' || review === 'changes_requested';
  return (
    <span className={isBad ? 'text-needs' : ''}>
      <PageLink text={name} title={title} url={url} /> {facts.join(' · ')}
    </span>
  );
}
