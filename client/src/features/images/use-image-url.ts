import type { ConsoleError } from '@agent-console/shared/errors';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../../api/call.ts';
import { queryClient } from '../../api/query-client.ts';

const MINUTE_MS = 60_000;

/** Loads an image of a session. Returns the `blob:` URL of the loaded image, and whether loading failed. */
export function useImageUrl(sessionId: string, imageId: string): { url: string | undefined; isMissing: boolean } {
  // The key does not contain an operation's name, so that events do not invalidate the image, which never changes.
  const { data: blob, isError } = useQuery<Blob, ConsoleError>(
    {
      queryKey: ['image', sessionId, imageId],
      queryFn: ({ signal }) => loadImage(sessionId, imageId, signal),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: MINUTE_MS,
    },
    queryClient,
  );
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (blob === undefined) return undefined;
    const created = URL.createObjectURL(blob);
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [blob]);
  return { url, isMissing: isError };
}

async function loadImage(sessionId: string, imageId: string, signal: AbortSignal): Promise<Blob> {
  const { data, mimeType } = await call('sessions.image', { sessionId, imageId }, { signal });
  const binary = atob(data);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return new Blob([bytes], { type: mimeType });
}
