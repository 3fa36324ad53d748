import { ConsoleError } from '@agent-console/shared/errors';
import { useRef, useState } from 'react';
import { type ImageToSend, withImage } from './upload.ts';

/** Images for a prompt whose session does not exist yet. They are lost when the component is unmounted. */
export function useImagesToSend() {
  const [images, setImages] = useState<readonly ImageToSend[]>([]);
  const [problem, setProblem] = useState<ConsoleError>();
  const [reads, setReads] = useState(0);
  const latest = useRef(images);
  const last = useRef(Promise.resolve());
  const replace = (next: readonly ImageToSend[]) => {
    latest.current = next;
    setImages(next);
  };
  return {
    images,
    /** Error of the last image that could not be added. */
    problem,
    /** Whether added images are still being read. */
    isReading: reads > 0,
    /** Adds images one after the other, so that they keep their order. */
    add(files: readonly File[]) {
      setProblem(undefined);
      setReads((count) => count + 1);
      last.current = last.current
        .then(async () => {
          for (const file of files) replace(await withImage(latest.current, file));
        })
        .catch((error: unknown) => {
          setProblem(error instanceof ConsoleError ? error : new ConsoleError('INTERNAL', String(error)));
        })
        .finally(() => setReads((count) => count - 1));
    },
    remove: ({ imageId }: ImageToSend) => replace(latest.current.filter((image) => image.imageId !== imageId)),
    /** Removes the images that were sent. Images that were added meanwhile remain. */
    removeSent: (sent: readonly Pick<ImageToSend, 'data'>[]) =>
      replace(latest.current.filter(({ data }) => !sent.some((each) => each.data === data))),
    dismiss: () => setProblem(undefined),
  };
}
