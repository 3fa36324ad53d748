const TOKEN_KEY = 'agent-console.token';

let signedOutListener: () => void = () => {};

/** Registers a listener that is called when the console rejects the token. */
export function onSignedOut(listener: () => void): void {
  signedOutListener = listener;
}

export function currentToken(): string | null {
  return localStorage.getItem(TOKEN_KEY);
}

export function signIn(token: string): void {
  localStorage.setItem(TOKEN_KEY, token);
}

export function signOut(): void {
  localStorage.removeItem(TOKEN_KEY);
  signedOutListener();
}
