import './ui/tokens.css';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { connectToConsole, onConsoleEvents } from './api/live.ts';
import { currentToken, onSignedOut } from './api/token.ts';
import { patchStylesForCsp } from './csp-styles.ts';
import { handleMarkEvent, loadMarks } from './features/inbox/marks.ts';
import { applySnapshot, handleSessionEvent } from './features/sessions/sessions-store.ts';
import { preloadSessionPage, router } from './router.tsx';
import { addGlobalShortcuts } from './shell/global-shortcuts.ts';
import { applyTheme } from './ui/theme.ts';

const hasCode = () => location.hash.includes('code=');

/** Shows toasts for rare events. The code is loaded only when such an event occurs. */
async function notify(event: ConsoleEvent): Promise<void> {
  const { type } = event;
  if (type === 'server.crashed' || type === 'runner.lost') {
    const { notifyOfCrash } = await import('./features/notices/notify-of-crash.ts');
    notifyOfCrash(event);
  } else if (type === 'orchestration.completed' || type === 'orchestration.failed') {
    const { notifyOfRun } = await import('./features/runs/notify-of-run.ts');
    await notifyOfRun(event, (runId) => void router.navigate({ to: '/runs/$runId', params: { runId } }));
  }
}

async function start(): Promise<void> {
  // `login.ts` is needed only for a login code. It imports code from the chunk that contains this module. If this
  // module awaited that import at the top level, the two modules would wait for each other.
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
  onConsoleEvents({ onEvent: (event) => void notify(event) });
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

// If a login link is opened in this tab, only the hash changes. After a reload, the page redeems the code in the link.
window.addEventListener('hashchange', () => {
  if (hasCode()) location.reload();
});
