import type { Definition } from '../ports/definitions.ts';
import { parseDefinition } from './definition.ts';
import implementTestReview from './templates/implement-test-review.yaml?raw';
import map from './templates/map.yaml?raw';
import race from './templates/race.yaml?raw';
import review from './templates/review.yaml?raw';

let parsed: readonly Definition[] | undefined;

/** Returns the definitions that are shipped with the console. */
export function templates(): readonly Definition[] {
  parsed ??= Object.entries({ review, 'implement-test-review': implementTestReview, race, map }).map(([name, text]) =>
    parseDefinition(text, `${name}.yaml`),
  );
  return parsed;
}
