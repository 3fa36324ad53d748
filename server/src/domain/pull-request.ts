import { PULL_REQUEST_TEXT_CHARS } from '@agent-console/shared/limits/commands';

/** This module finds and builds addresses of pull request pages, and cleans text that other programs print. */

/** Returns a text from outside the console as one line of limited length, without control and bidi characters. */
export function foreignText(text: string): string {
  const plain = text
    .replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ')
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '');
  return [...plain.trim()].slice(0, PULL_REQUEST_TEXT_CHARS).join('');
}

/**
 * Hosting site of a remote. A label of the host name determines the kind, as in `github.example.com`. Without such a
 * label, the kind is `other`.
 */
interface Forge {
  kind: 'github' | 'gitlab' | 'bitbucket' | 'other';
  host: string;
  /** Path of the repository on the site, such as `owner/name`. */
  path: string;
}

/**
 * Returns the hosting site for a remote's URL. Returns null for a local path, for a host name without a dot, and for a
 * repository path with unusual characters.
 */
export function forgeOf(url: string): Forge | null {
  const scp = /^(?:[^@/]+@)?([A-Za-z0-9.-]+):(?!\/\/)(.+)$/.exec(url);
  const full = /^(?:https?|ssh|git):\/\/(?:[^@/]*@)?([^/:]+)(?::\d+)?\/(.+)$/.exec(url);
  const [, host, rest] = full ?? scp ?? [];
  if (host === undefined || rest === undefined) return null;
  const path = rest
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .replace(/^\/+/, '');
  if (!/^[\w.~/-]+$/.test(path) || !host.includes('.')) return null;
  const kind = KINDS.find((each) => host.toLowerCase().split('.').includes(each)) ?? 'other';
  return { kind, host: host.toLowerCase(), path };
}

const KINDS = ['github', 'gitlab', 'bitbucket'] as const;

/**
 * Returns the page on which a person can create a pull request; null if the hosting site is unknown or of the kind
 * `other`.
 */
export function newPullRequestPage(url: string, base: string, branch: string): string | null {
  const forge = forgeOf(url);
  if (forge === null) return null;
  const { kind, host, path } = forge;
  const part = (name: string) => name.split('/').map(encodeURIComponent).join('/');
  const at = `https://${host}/${path}`;
  if (kind === 'github') return `${at}/compare/${part(base)}...${part(branch)}?expand=1`;
  if (kind === 'gitlab') {
    const query = [`source_branch%5D=${encodeURIComponent(branch)}`, `target_branch%5D=${encodeURIComponent(base)}`];
    return `${at}/-/merge_requests/new?${query.map((each) => `merge_request%5B${each}`).join('&')}`;
  }
  if (kind === 'bitbucket') return `${at}/pull-requests/new?source=${encodeURIComponent(branch)}`;
  return null;
}

/**
 * Returns the address and number of the pull request in the output of a program that created it. The address is the
 * last one that looks like a pull request or, without such an address, the last one. Null if there is no address or it
 * is too long.
 */
export function pullRequestIn(output: string): { url: string; number: number | null } | null {
  const urls = output.match(/https?:\/\/[^\s'"<>()]+/g) ?? [];
  const numberIn = (url: string) => /\/(?:pull|pulls|merge_requests|pull-requests)\/(\d{1,9})\b/.exec(url)?.[1];
  const url = urls.findLast((each) => numberIn(each) !== undefined) ?? urls.at(-1);
  if (url === undefined || url.length > PULL_REQUEST_TEXT_CHARS) return null;
  const number = numberIn(url);
  return { url, number: number === undefined ? null : Number(number) };
}
