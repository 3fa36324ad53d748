/* Starts Swagger UI with the OpenAPI document of this server. All files that the page needs are in this folder. */

/** Key in localStorage of the token that the dashboard stores at login. */
const TOKEN_KEY = 'agent-console.token';

const dark = window.matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

const code = (text) => Object.assign(document.createElement('code'), { textContent: text });
const who = document.querySelector('#who');
function sayWho() {
  if (localStorage.getItem(TOKEN_KEY) !== null) {
    who.replaceChildren('Calls on this page are real. They use the token of your dashboard login.');
    return;
  }
  who.replaceChildren(
    'Not logged in. Run ',
    code('agent-console open'),
    ' and open its link, then return to this page; or enter a token (',
    code('agent-console tokens create'),
    ') under “Authorize”.',
  );
}
// Fires when another tab logs in or out.
window.addEventListener('storage', sayWho);
sayWho();

window.SwaggerUIBundle({
  dom_id: '#document',
  url: '/api/openapi.json',
  // Keeps Swagger UI from sending the document to a validator on the internet.
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'list',
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  // Shows the call without the token that `requestInterceptor` adds.
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
