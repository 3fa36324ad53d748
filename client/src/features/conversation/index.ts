import { lazy } from 'react';

/** Loaded on first use: needs a `Suspense` boundary. */
export const ConversationView = lazy(async () => ({
  default: (await import('./ConversationView.tsx')).ConversationView,
}));
