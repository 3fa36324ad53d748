import { PROMPT_MAX_BYTES } from '@agent-console/shared/limits/texts';
import type { ComponentProps } from 'react';
import { TextAreaField } from './Field.tsx';

/** Fraction of the maximum size from which the field shows the size of the prompt. */
const NEAR_LIMIT = 0.8;

/** Prompt field. Shows the size of the prompt in bytes once it is near the maximum, which is in bytes too. */
export function PromptField(
  props: Omit<ComponentProps<typeof TextAreaField>, 'label'> & { label?: string; value: string },
) {
  const bytes = new TextEncoder().encode(props.value).length;
  return (
    <TextAreaField
      aside={
        bytes < PROMPT_MAX_BYTES * NEAR_LIMIT ? undefined : (
          <span className={`tabular-nums ${bytes > PROMPT_MAX_BYTES ? 'text-failed' : ''}`}>
            {`${bytes.toLocaleString()} of ${PROMPT_MAX_BYTES.toLocaleString()} bytes`}
          </span>
        )
      }
      data-first=""
      label="Prompt"
      {...props}
    />
  );
}
