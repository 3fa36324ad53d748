/** Parses a link. Returns undefined for an invalid address, and for any scheme other than http and https. */
export function parseWebUrl(text: string): URL | undefined {
  try {
    const url = new URL(text);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
  } catch {
    return undefined;
  }
}
