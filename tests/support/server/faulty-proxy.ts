import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { listenOnFreePort } from './console-server.ts';

/**
 * What happens to a request on its way: it passes, its connection breaks, it never gets a response, or it
 * gets a status.
 */
export type Fault = 'pass' | 'break' | 'hang' | { status: number; headers?: Record<string, string> };

/** Starts a proxy in front of a server that treats each request as `decide` says. Stopped after the test. */
export async function startFaultyProxy(
  targetUrl: string,
  decide: (request: IncomingMessage) => Fault,
): Promise<string> {
  const server = createServer((request, response) => {
    const fault = decide(request);
    if (fault === 'break') {
      request.once('data', () => request.socket.destroy());
      request.once('end', () => request.socket.destroy());
      return;
    }
    if (fault === 'hang') {
      request.resume();
      return;
    }
    if (fault !== 'pass') {
      request.resume();
      request.once('end', () => response.writeHead(fault.status, fault.headers).end());
      return;
    }
    const { method, headers, url } = request;
    const forwarded = httpRequest(new URL(url ?? '/', targetUrl), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  return listenOnFreePort(server);
}
