import http from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A second address of the console. Records each request to `/mcp`, e.g. as `POST initialize 200`. The records of other
 * requests also contain the path.
 */
export interface CountingProxy {
  url: string;
  requests: readonly string[];
  close(): void;
}

/**
 * Starts a proxy that forwards every request to the console on `port`. For the console, the requests come from a
 * process that the console did not start.
 */
export async function startCountingProxy(port: number): Promise<CountingProxy> {
  const requests: string[] = [];
  const server = http.createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    const headers = { ...request.headers, host: `127.0.0.1:${port}` };
    const called = /"method":\s*"([^"]+)"/.exec(body.toString())?.[1] ?? '';
    const forwarded = http.request(
      { host: '127.0.0.1', port, method: request.method, path: request.url, headers },
      (answer) => {
        const path = request.url === '/mcp' ? '' : request.url;
        requests.push([request.method, path, called, answer.statusCode].filter((part) => part !== '').join(' '));
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    forwarded.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
