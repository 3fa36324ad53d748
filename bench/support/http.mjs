import http from 'node:http';

/**
 * Opens a keep-alive connection for JSON requests to a server on this machine.
 * @param {number} port
 * @param {{token?: string}} options
 */
export function connect(port, { token } = {}) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const identity = token === undefined ? {} : { authorization: `Bearer ${token}` };

  /** @returns {Promise<{status: number, headers: http.IncomingHttpHeaders, text: string}>} */
  function request(method, path, body, headers = {}) {
    return new Promise((resolve, reject) => {
      const content = body === undefined ? {} : { 'content-type': 'application/json' };
      const options = {
        host: '127.0.0.1',
        port,
        agent,
        method,
        path,
        headers: { ...identity, ...content, ...headers },
      };
      const outgoing = http.request(options, (answer) => {
        const chunks = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          resolve({ status: answer.statusCode, headers: answer.headers, text: Buffer.concat(chunks).toString() });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  return {
    request,
    /** Calls the REST API of the console. Rejects if the response is an error. */
    async call(method, path, body) {
      const { status, text } = await request(method, `/api${path}`, body);
      if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`);
      return JSON.parse(text);
    },
    close: () => agent.destroy(),
  };
}

/** Polls `GET /health` and returns the milliseconds from `since` to the first answer. */
export async function firstAnswer(port, since) {
  for (;;) {
    const answered = await new Promise((resolve) => {
      const outgoing = http.get({ host: '127.0.0.1', port, path: '/health', agent: false }, (answer) => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode === 200));
        answer.on('error', () => resolve(false));
      });
      outgoing.on('error', () => resolve(false));
    });
    if (answered) return performance.now() - since;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
