/** Labels that a person sets (true) or removes (false) on all chosen sessions. Other labels stay as they are. */
export type LabelChoices = Readonly<Record<string, boolean>>;

interface Labelled {
  labels: readonly string[];
}

/** Returns all labels of the sessions and all labels in `choices`, in alphabetical order. */
export function knownLabels(sessions: readonly Labelled[], choices: LabelChoices): string[] {
  const all = new Set([...sessions.flatMap(({ labels }) => labels), ...Object.keys(choices)]);
  return [...all].sort((a, b) => a.localeCompare(b));
}

/** Returns whether all, some or none of the sessions have a label. */
export function shareOf(label: string, sessions: readonly Labelled[]): 'all' | 'some' | 'none' {
  const count = sessions.filter(({ labels }) => labels.includes(label)).length;
  return count === 0 ? 'none' : count === sessions.length ? 'all' : 'some';
}

/** Returns the labels of a session after the choices are applied. Added labels come last. */
export function labelsAfter(labels: readonly string[], choices: LabelChoices): string[] {
  const kept = labels.filter((label) => choices[label] !== false);
  const added = Object.keys(choices).filter((label) => choices[label] === true && !labels.includes(label));
  return [...kept, ...added];
}
