import { ConsoleError } from '@agent-console/shared/errors';

/** A definition of an orchestration, without mistakes. */
export const EXAMPLE = `name: example
description: An example.
parameters:
  count:
    type: number
    description: How many
    default: 2
    min: 1
  topic:
    type: string
    description: What about
    required: true
objective: About \${{ topic }}
strategy: adaptive
agents:
  - role: writer
    forEach: \${{ count }}
    task: Write about \${{ topic }}
  - role: editor
    dependencies: [writer]
    task: |
      Edit what was written
      about \${{ topic }}
`;

export function changed(from: string, to: string): string {
  if (!EXAMPLE.includes(from)) throw new Error(`the example does not contain ${from}`);
  return EXAMPLE.replace(from, () => to);
}

export function errorOf(work: () => unknown): ConsoleError {
  try {
    work();
  } catch (error) {
    if (error instanceof ConsoleError) return error;
    throw error;
  }
  throw new Error('no error was thrown');
}
