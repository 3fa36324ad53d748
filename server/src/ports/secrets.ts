/** What the secrets of tokens and codes are made of. */
export interface Secrets {
  /** 256 random bits as text. */
  create(prefix: string): string;
  sha256(text: string): string;
}
