import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { parseBoardSearch } from './features/boards/board-search.ts';
import { parseRepositorySearch } from './features/repositories/repository-tabs.ts';
import { parseRunSearch, parseRunsSearch } from './features/runs/run-views.ts';
import { SESSION_VIEWS, type SessionSearch, type SessionView } from './features/sessions/page/session-views.ts';
import { SessionsLayout } from './features/sessions/SessionsLayout.tsx';
import { SECTION_ALIASES } from './features/settings/aliases.ts';
import { Frame } from './shell/Frame.tsx';
import { NotFound } from './shell/NotFound.tsx';
import { loadTerminal } from './terminal/load.ts';
import { parseText } from './ui/url-text.ts';
import { PHONE } from './ui/use-media.ts';

const loadSessionPage = () => import('./features/sessions/SessionPage.tsx');

/**
 * Loads the code of the session page and of its terminal in parallel. The router alone would load the terminal after
 * the page.
 */
export function preloadSessionPage(): void {
  void loadSessionPage();
  void loadTerminal();
}

const rootRoute = createRootRoute({ component: Frame, notFoundComponent: NotFound });
// Opens the sessions or, on a phone, the inbox, because people use a phone to see which sessions need them.
const indexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: matchMedia(PHONE).matches ? '/inbox' : '/sessions', replace: true });
  },
});
const inboxRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/inbox',
  component: lazyRouteComponent(() => import('./features/inbox/InboxPage.tsx'), 'InboxPage'),
});
const sessionsRoute = createRoute({ getParentRoute: () => rootRoute, path: '/sessions', component: SessionsLayout });
const sessionRoute = createRoute({
  getParentRoute: () => sessionsRoute,
  path: '$sessionId',
  component: lazyRouteComponent(loadSessionPage, 'SessionPage'),
  validateSearch: ({ view, worker, at }: Record<string, unknown>): SessionSearch => ({
    ...(SESSION_VIEWS.includes(view as SessionView) ? { view: view as SessionView } : {}),
    ...(typeof worker === 'string' ? { worker } : {}),
    ...(typeof at === 'number' && Number.isInteger(at) && at > 0 ? { at } : {}),
  }),
});
const gridRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/terminals',
  component: lazyRouteComponent(() => import('./features/grid/GridPage.tsx'), 'GridPage'),
});
const runsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs',
  component: lazyRouteComponent(() => import('./features/runs/RunsPage.tsx'), 'RunsPage'),
  validateSearch: parseRunsSearch,
});
const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$runId',
  component: lazyRouteComponent(() => import('./features/runs/RunPage.tsx'), 'RunPage'),
  validateSearch: parseRunSearch,
});
const boardsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/boards',
  component: lazyRouteComponent(() => import('./features/boards/BoardsPage.tsx'), 'BoardsPage'),
  validateSearch: parseBoardSearch,
});
const boardRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/boards/$boardId',
  component: lazyRouteComponent(() => import('./features/boards/BoardsPage.tsx'), 'BoardsPage'),
  validateSearch: parseBoardSearch,
});
const searchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/search',
  component: lazyRouteComponent(() => import('./features/search/SearchPage.tsx'), 'SearchPage'),
  validateSearch: parseText,
});
const repositoriesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/repositories',
  component: lazyRouteComponent(() => import('./features/repositories/RepositoriesPage.tsx'), 'RepositoriesPage'),
});
const repositoryRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/repositories/$repositoryId',
  component: lazyRouteComponent(() => import('./features/repositories/RepositoryPage.tsx'), 'RepositoryPage'),
  validateSearch: parseRepositorySearch,
});
const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings/$section',
  component: lazyRouteComponent(() => import('./features/settings/SettingsPage.tsx'), 'SettingsPage'),
});
const settingsIndexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings',
  beforeLoad: () => {
    throw redirect({ to: '/settings/$section', params: { section: 'general' }, replace: true });
  },
});
/** Redirects from top-level paths to a section of the settings. */
const settingsAliases = SECTION_ALIASES.map((section) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path: `/${section}`,
    beforeLoad: () => {
      throw redirect({ to: '/settings/$section', params: { section }, replace: true });
    },
  }),
);

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    indexRoute,
    inboxRoute,
    sessionsRoute.addChildren([sessionRoute]),
    gridRoute,
    runsRoute,
    runRoute,
    boardsRoute,
    boardRoute,
    searchRoute,
    repositoriesRoute,
    repositoryRoute,
    settingsIndexRoute,
    settingsRoute,
    ...settingsAliases,
  ]),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
