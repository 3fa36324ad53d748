import { pluralize } from '@agent-console/shared/pluralize';
import { Button } from '../ui/Button.tsx';
import { LinkQuestion, QuestionBox, Quote } from '../ui/LinkQuestion.tsx';
import type { Question } from './terminal-state.ts';

const SHOWN_CHARS = 2_000;
const LABEL = 'terminal-question';

/** Asks for confirmation before opening a link from terminal output or pasting lines that would run. */
export function QuestionDialog({ question, onAnswer }: { question: Question; onAnswer: (yes: boolean) => void }) {
  return (
    <QuestionBox labelId={LABEL} onClose={() => onAnswer(false)}>
      {question.kind === 'link' ? (
        <LinkQuestion
          address={question.address}
          labelId={LABEL}
          note="This link was printed in the terminal. Its text may differ from its address."
          onClose={() => onAnswer(false)}
        />
      ) : (
        <PasteQuestion lines={question.lines} onAnswer={onAnswer} text={question.text} />
      )}
    </QuestionBox>
  );
}

function PasteQuestion(props: { text: string; lines: number; onAnswer: (yes: boolean) => void }) {
  const { text, lines, onAnswer } = props;
  return (
    <>
      <h2 className="font-semibold" id={LABEL}>
        {`Paste and run ${pluralize(lines, 'line')}?`}
      </h2>
      <p className="mt-1 text-quiet">The program treats pasted text like typed text and runs each line immediately.</p>
      <Quote text={text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text} />
      <div className="mt-3 flex justify-end gap-2">
        <Button data-first onClick={() => onAnswer(false)}>
          Cancel
        </Button>
        <Button kind="primary" onClick={() => onAnswer(true)}>
          Paste
        </Button>
      </div>
    </>
  );
}
