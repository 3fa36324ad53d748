import http from 'node:http';

/**
 * One keep-alive connection to a server of this machine, speaking JSON.
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
      const asked = http.request(options, (answer) => {
        const chunks = [];
        answer.on('data', (chunk) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          resolve({ status: answer.statusCode, headers: answer.headers, text: Buffer.concat(chunks).toString() });
        });
      });
      asked.on('error', reject);
      asked.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  return {
    request,
    /** A call of the product's REST surface; rejects with its error. */
    async call(method, path, body) {
      const { status, text } = await request(method, `/api${path}`, body);
      if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`);
      return JSON.parse(text);
    },
    close: () => agent.destroy(),
  };
}

/** Milliseconds from `since` to the first answer of `GET /health`, asked again until there is one. */
export async function firstAnswer(port, since) {
  for (;;) {
    const answered = await new Promise((resolve) => {
      const asked = http.get({ host: '127.0.0.1', port, path: '/health', agent: false }, (answer) => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode === 200));
        answer.on('error', () => resolve(false));
      });
      asked.on('error', () => resolve(false));
    });
    if (answered) return performance.now() - since;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
