import { useRef } from 'react';
import { PromptField } from '../../ui/PromptField.tsx';
import { AttachedImages } from '../images/AttachedImages.tsx';
import { AttachImages } from '../images/AttachImages.tsx';
import { LocalImage } from '../images/LocalImage.tsx';
import { imagesIn } from '../images/transfer.ts';
import type { useImagesToSend } from '../images/use-images-to-send.ts';
import { useAgents } from '../settings/AgentField.tsx';

export function DelegatedPrompt(props: {
  prompt: string;
  onPrompt(prompt: string): void;
  error: string | undefined;
  images: ReturnType<typeof useImagesToSend>;
  agentId: string;
}) {
  const { prompt, onPrompt, error, images, agentId } = props;
  const { data: agents } = useAgents();
  const agent = agents?.data.find(({ id }) => id === agentId);
  const refused =
    images.images.length > 0 && agent?.supports.images === false
      ? `${agent.name} takes no images. Remove them, or choose another agent.`
      : undefined;
  const field = useRef<HTMLTextAreaElement>(null);
  const focus = () => field.current?.focus();
  return (
    <div>
      <PromptField
        autoFocus
        error={error}
        hint="Include all context: the agent sees only this prompt and the files of its new worktree."
        missing={prompt.trim() === '' ? 'Enter a prompt.' : undefined}
        onChange={onPrompt}
        onPaste={(event) => {
          const files = imagesIn(event.clipboardData);
          if (files.length === 0) return;
          event.preventDefault();
          images.add(files);
        }}
        ref={field}
        rows={7}
        value={prompt}
      />
      {/*
       * `data-missing` prevents the form from being submitted. `data-changed` makes the dialog ask before it closes,
       * because closing would lose the images.
       */}
      <div
        className="mt-2"
        data-changed={images.images.length > 0 || images.isReading ? '' : undefined}
        data-missing={refused}
      >
        <AttachedImages
          images={images.images}
          onDismiss={
            refused === undefined
              ? () => {
                  images.dismiss();
                  focus();
                }
              : undefined
          }
          onRemove={(image) => {
            images.remove(image);
            focus();
          }}
          problem={refused === undefined ? images.problem : { message: refused }}
        >
          {(image, look) => <LocalImage {...look} image={image} />}
        </AttachedImages>
        <div className="-ml-1.5 flex">
          <AttachImages
            agentId={agentId}
            isNamed
            onFiles={(files) => {
              images.add(files);
              focus();
            }}
          />
        </div>
      </div>
    </div>
  );
}
