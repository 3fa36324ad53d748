import './ui/tokens.css';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { followConsole, hearConsole } from './api/live.ts';
import { redeemCode } from './api/login.ts';
import { currentToken, onSignedOut } from './api/token.ts';
import { tellOfEvent } from './features/inbox/telling.ts';
import { noteSessionEvent, resetDirectory } from './features/sessions/directory.ts';
import { router } from './router.tsx';
import { LoginPage } from './shell/LoginPage.tsx';
import { keepStylesWithinPolicy } from './strict-style.ts';

keepStylesWithinPolicy();
const problem = await redeemCode();
const root = createRoot(document.getElementById('root') ?? document.body);
if (currentToken() === null) {
  root.render(<LoginPage problem={problem} />);
} else {
  onSignedOut(() => location.reload());
  hearConsole({ onSnapshot: resetDirectory, onEvent: noteSessionEvent });
  hearConsole({ onEvent: tellOfEvent });
  followConsole();
  root.render(
    <StrictMode>
      <RouterProvider router={router} />
    </StrictMode>,
  );
}

// A link that is opened in this tab again only changes the part behind the #.
window.addEventListener('hashchange', () => {
  if (location.hash.includes('code=')) location.reload();
});
