/** Creates and hashes secrets, such as tokens and login codes. */
export interface Secrets {
  /** Returns 256 random bits as text that begins with the prefix. */
  create(prefix: string): string;
  sha256(text: string): string;
}
