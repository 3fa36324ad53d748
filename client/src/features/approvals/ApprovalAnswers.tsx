import type { Approval, FormValue } from '@agent-console/shared/models/approval';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { operationKey, useOperationMutation } from '../../api/operations.ts';
import { queryClient } from '../../api/query-client.ts';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { escapeHidden } from '../../ui/hidden-characters.ts';
import { Kbd } from '../../ui/Kbd.tsx';
import { useFocusFallback } from '../../ui/keep-focus.ts';
import { Problem } from '../../ui/Problem.tsx';
import { UntrustedBlock, UntrustedText } from '../../ui/UntrustedText.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { FormAnswer } from './FormAnswer.tsx';
import { valueProblems } from './form-values.ts';
import { LinkAnswer } from './LinkAnswer.tsx';
import { isAnswerKey, optionForKey } from './option-keys.ts';
import { toolHeading } from './tool-name.ts';

const STYLES: Record<Approval['options'][number]['kind'], { glyph: string; tone: string }> = {
  allow: { glyph: '✓', tone: 'border-added text-added hover:bg-added-bg' },
  deny: { glyph: '✕', tone: 'border-failed text-failed hover:bg-failed-bg' },
  other: { glyph: '', tone: 'border-line-strong hover:bg-hover' },
};

/**
 * A question of an agent or about a budget, with a button for each answer. Once the question is answered, the buttons
 * stay disabled. The question's id must be the React key, so that the next question gets new buttons.
 * @param globalKeys whether the answers' keys work anywhere on the page, not only while an answer has the focus
 */
export function ApprovalAnswers({ approval, globalKeys }: { approval: Approval; globalKeys: boolean }) {
  const { id, kind, text, options, fields } = approval;
  const heading = toolHeading(approval);
  const box = useRef<HTMLDivElement>(null);
  useFocusFallback(box);
  const answer = useOperationMutation('approvals.answer');
  // After a success, or a conflict with another answer, the answers stay disabled until an event removes the question.
  const answered = answer.isPending || answer.isSuccess || answer.error?.code === 'CONFLICT';
  const settled = useSettled(id);
  const choose = (optionId: string, values?: Record<string, FormValue>) => {
    if (settled && !answered) answer.mutate({ approvalId: id, optionId, ...(values === undefined ? {} : { values }) });
  };
  const problems = valueProblems(answer.error);
  const hasShownProblem = fields.some((field) => problems[field.id] !== undefined);
  const conflict = answer.error?.code === 'CONFLICT';
  useEffect(() => {
    if (conflict) void queryClient.invalidateQueries({ queryKey: operationKey('approvals.list') });
  }, [conflict]);
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const option = optionForKey(options, event.key);
    if (option === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    choose(option.id);
  };
  return (
    <div className="flex min-w-0 flex-col gap-2" ref={box}>
      {globalKeys ? <AnswerKeys keys={options.filter(isAnswerKey)} onPress={choose} /> : null}
      <div className="max-h-60 overflow-y-auto rounded-md border border-line bg-sunken px-2.5 py-2">
        {heading === undefined ? null : <UntrustedBlock className="mb-1 font-semibold" text={heading} />}
        {/*
         * Questions read from a screen, and commands, contain spaces for alignment, so they are shown in a monospaced
         * font.
         */}
        <UntrustedBlock className={kind === 'form' || kind === 'link' ? '' : 'font-mono text-sm'} text={text} />
      </div>
      {kind === 'form' || kind === 'budget' ? (
        <FormAnswer
          approval={approval}
          busy={answer.isPending}
          disabled={answered || !settled}
          onAnswer={choose}
          problems={problems}
        />
      ) : kind === 'link' ? (
        <LinkAnswer approval={approval} disabled={answered || !settled} onAnswer={choose} />
      ) : options.length === 0 ? (
        <p className="text-quiet">Answer in the terminal.</p>
      ) : (
        <fieldset className="flex min-w-0 flex-wrap gap-1.5" onKeyDown={press}>
          <legend className="sr-only">Answers</legend>
          {options.map(({ id: optionId, label, kind }, index) => {
            const { glyph, tone } = STYLES[kind];
            const chosen = answered && !conflict && answer.variables?.optionId === optionId;
            return (
              <button
                aria-busy={answer.isPending && chosen ? true : undefined}
                aria-disabled={answered || !settled || undefined}
                className={`inline-flex min-h-8 min-w-0 max-w-full items-center gap-2 rounded-md border px-2.5 py-1 text-left font-medium max-md:min-h-11 max-md:w-full max-md:px-3.5 ${tone} ${answered && !chosen ? 'opacity-50' : ''}`}
                data-answer={index === 0 ? '' : undefined}
                key={optionId}
                onClick={() => choose(optionId)}
                type="button"
              >
                {glyph === '' ? null : <span aria-hidden="true">{glyph}</span>}
                <UntrustedText className="min-w-0 break-words" text={label} />
                {globalKeys && isAnswerKey({ id: optionId }) ? (
                  <span className="max-md:hidden" aria-hidden="true">
                    <Kbd>{optionId}</Kbd>
                  </span>
                ) : null}
              </button>
            );
          })}
        </fieldset>
      )}
      <Problem error={hasShownProblem && !conflict ? null : answer.error} />
    </div>
  );
}

/**
 * Registers a shortcut for each answer in `keys`. The answer's id is the key to press. The shortcuts work anywhere on
 * the page except in text fields and terminals.
 */
export function AnswerKeys(props: { keys: readonly { id: string; label: string }[]; onPress: (key: string) => void }) {
  useShortcuts(
    props.keys.map(({ id, label }) => ({
      keys: id,
      label: `Answer “${escapeHidden(label)}”`,
      isAnswer: true,
      run: () => props.onPress(id),
    })),
  );
  return null;
}
