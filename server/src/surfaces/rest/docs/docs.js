/* Starts Swagger UI on this server's own document. Everything it needs stands beside this file. */

/** Where the dashboard keeps the token of whoever is logged in. */
const TOKEN_KEY = 'agent-console.token';

const dark = window.matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

const code = (text) => Object.assign(document.createElement('code'), { textContent: text });
const who = document.querySelector('#who');
function sayWho() {
  if (localStorage.getItem(TOKEN_KEY) !== null) {
    who.replaceChildren('Calls made here carry the token of the dashboard, and really happen.');
    return;
  }
  who.replaceChildren(
    'Not logged in. Run ',
    code('agent-console open'),
    ' and follow its link, then come back; or give a token (',
    code('agent-console tokens create'),
    ') under “Authorize”.',
  );
}
// Logging in or out in another tab is seen here.
window.addEventListener('storage', sayWho);
sayWho();

window.SwaggerUIBundle({
  dom_id: '#document',
  url: '/api/openapi.json',
  // Neither this page nor its document leaves the machine.
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'list',
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  // The token is not put on the screen with the rest of the call.
  showMutatedRequest: false,
  defaultModelExpandDepth: 2,
  defaultModelsExpandDepth: 0,
  presets: [window.SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  requestInterceptor(request) {
    const token = localStorage.getItem(TOKEN_KEY);
    const own = new URL(request.url, location.href).origin === location.origin;
    const given = Object.keys(request.headers).some((name) => name.toLowerCase() === 'authorization');
    if (token !== null && own && !given) request.headers.Authorization = `Bearer ${token}`;
    return request;
  },
});
