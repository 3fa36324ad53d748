import './ui/tokens.css';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { connectToConsole, onConsoleEvents } from './api/live.ts';
import { currentToken, onSignedOut } from './api/token.ts';
import { patchStylesForCsp } from './csp-styles.ts';
import { handleMarkEvent, loadMarks } from './features/inbox/marks.ts';
import { notifyOfEvent } from './features/inbox/notifications.ts';
import { handleOverlapEvent, loadOverlaps } from './features/overlaps/overlaps-store.ts';
import { notifyOfRun } from './features/runs/notify-of-run.ts';
import { applySnapshot, handleSessionEvent } from './features/sessions/sessions-store.ts';
import { preloadSessionPage, router } from './router.tsx';
import { addGlobalShortcuts } from './shell/global-shortcuts.ts';
import { applyTheme } from './ui/theme.ts';

const hasCode = () => location.hash.includes('code=');

async function start(): Promise<void> {
  // Code of the login is loaded only by a browser that logs in. An `await` outside a function would block these imports.
  const problem = hasCode() ? await (await import('./api/login.ts')).redeemCode() : undefined;
  const root = createRoot(document.getElementById('root') ?? document.body);
  if (currentToken() === null) {
    const { LoginPage } = await import('./shell/LoginPage.tsx');
    root.render(<LoginPage problem={problem} />);
    return;
  }
  onSignedOut(() => location.reload());
  onConsoleEvents({ onSnapshot: applySnapshot, onEvent: handleSessionEvent });
  onConsoleEvents({ onSnapshot: loadMarks, onEvent: handleMarkEvent });
  onConsoleEvents({ onSnapshot: loadOverlaps, onEvent: handleOverlapEvent });
  onConsoleEvents({ onEvent: notifyOfEvent });
  onConsoleEvents({
    onEvent: (event) =>
      void notifyOfRun(event, (runId) => void router.navigate({ to: '/runs/$runId', params: { runId } })),
  });
  connectToConsole();
  addGlobalShortcuts((to) => void router.navigate(to));
  root.render(
    <StrictMode>
      <RouterProvider router={router} />
    </StrictMode>,
  );
}

if (location.pathname.startsWith('/sessions/')) preloadSessionPage();
applyTheme();
patchStylesForCsp();
void start();

// Opening a login link in this tab only changes the hash. Reloading the page redeems the link's code.
window.addEventListener('hashchange', () => {
  if (hasCode()) location.reload();
});
