import { createHash } from 'node:crypto';

/** How a body may be sent: the coding's name in HTTP and the ending of the file that the build made for it. */
export interface Coding {
  name: 'br' | 'gzip';
  ending: '.br' | '.gz';
}

/** Best first. */
export const CODINGS: readonly Coding[] = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
];

/** The codings that an `Accept-Encoding` header allows, best first; none when the body must be sent as it is. */
export function acceptedCodings(header: string | undefined): readonly Coding[] {
  if (header === undefined) return [];
  const weights = new Map(
    header.split(',').map((part) => {
      const [name = '', ...parameters] = part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/);
      const q = parameters.find((parameter) => parameter.startsWith('q='));
      return [name, q === undefined ? 1 : Number(q.slice(2))] as const;
    }),
  );
  return CODINGS.filter(({ name }) => (weights.get(name) ?? weights.get('*') ?? 0) > 0);
}

/** A strong ETag of these very bytes. */
export function tagOfBytes(body: Uint8Array): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

/** Whether an `If-None-Match` header names this tag; for this question weak and strong tags are alike. */
export function namesTag(header: string | undefined, etag: string): boolean {
  const tags = header?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? [];
  return tags.includes(etag) || tags.includes('*');
}
