import { lazy } from 'react';

/** What was said in a session, prompt by prompt. Loaded when it is first shown: needs a `Suspense` around it. */
export const ConversationView = lazy(async () => ({
  default: (await import('./ConversationView.tsx')).ConversationView,
}));
