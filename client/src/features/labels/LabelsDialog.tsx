import { LABEL_MAX_CHARS } from '@agent-console/shared/limits/inbox';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import type { DialogBodyProps } from '../../shell/dialogs.ts';
import { FormDialog } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/Field.tsx';
import { Problem, type Refusal } from '../../ui/Problem.tsx';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { refreshSession, useSessions } from '../sessions/sessions-store.ts';
import { knownLabels, type LabelChoices, labelsAfter, shareOf } from './label-choices.ts';

/**
 * Dialog that sets and removes labels of one or several sessions. Its text field filters the known labels. Enter adds
 * the typed label, or toggles it if it is already known.
 */
export default function LabelsDialog({ request: { sessionIds }, onClose }: DialogBodyProps<'labels'>) {
  const all = useSessions(({ sessions }) => sessions);
  const [choices, setChoices] = useState<LabelChoices>({});
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Refusal>();
  const sessions = sessionIds.flatMap((id) => all[id] ?? []);
  const word = text.trim().toLowerCase();
  const known = knownLabels(Object.values(all), choices);
  const shown = known.filter((label) => label.includes(word) || choices[label] === true);
  const isSet = (label: string) => choices[label] ?? shareOf(label, sessions) === 'all';
  const choose = (label: string, chosen: boolean) => setChoices((before) => ({ ...before, [label]: chosen }));
  const add = () => {
    if (word === '') return;
    choose(word, known.includes(word) ? !isSet(word) : true);
    setText('');
  };
  const save = async () => {
    setBusy(true);
    setError(undefined);
    const wanted: LabelChoices = word === '' ? choices : { ...choices, [word]: true };
    try {
      for (const { id, labels } of sessions) {
        const next = labelsAfter(labels, wanted);
        if (next.join() === labels.join()) continue;
        await call('sessions.update', { sessionId: id, labels: next });
        refreshSession(id);
      }
      onClose();
    } catch (refusal) {
      setError(refusal as Refusal);
    } finally {
      setBusy(false);
    }
  };
  return (
    <FormDialog
      busy={busy}
      onClose={onClose}
      onSubmit={() => void save()}
      problem={<Problem error={error} />}
      submit="Save"
      title={sessionIds.length === 1 ? 'Labels' : `Labels of ${sessionIds.length} sessions`}
    >
      <TextField
        autoComplete="off"
        hint={
          word === '' || known.includes(word)
            ? 'One word, such as backend. Press Enter to add it.'
            : `Press Enter to add the new label “${word}”.`
        }
        label="Find or add a label"
        maxLength={LABEL_MAX_CHARS}
        onChange={setText}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || word === '') return;
          event.preventDefault();
          add();
        }}
        value={text}
      />
      {shown.length === 0 ? null : (
        <fieldset className="flex max-h-60 flex-col gap-1 overflow-y-auto">
          <legend className="sr-only">Labels</legend>
          {shown.map((label) => (
            <LabelChoice
              isMixed={choices[label] === undefined && shareOf(label, sessions) === 'some'}
              isSet={isSet(label)}
              key={label}
              label={label}
              onChoose={(chosen) => choose(label, chosen)}
            />
          ))}
        </fieldset>
      )}
    </FormDialog>
  );
}

function LabelChoice(props: { label: string; isSet: boolean; isMixed: boolean; onChoose(chosen: boolean): void }) {
  const { label, isSet, isMixed, onChoose } = props;
  return (
    <label className="flex min-h-6 items-center gap-2 max-md:min-h-10">
      <input
        checked={isSet}
        className="size-4 shrink-0 accent-accent"
        onChange={({ target }) => onChoose(target.checked)}
        ref={(box) => {
          if (box !== null) box.indeterminate = isMixed;
        }}
        type="checkbox"
      />
      <UntrustedLine text={label} />
      {isMixed ? <span className="text-sm text-quiet">some sessions</span> : null}
    </label>
  );
}
