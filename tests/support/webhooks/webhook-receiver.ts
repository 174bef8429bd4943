import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What a receiver was sent. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Allows tests to reach receivers on this machine. */
export const LOCAL_WEBHOOKS = { WEBHOOK_NETWORKS: '127.0.0.0/8' };

/** A webhook receiver on this machine that responds as told; `answer` can be changed at any time. */
export async function startWebhookReceiver(status = 204) {
  const received: Received[] = [];
  const state = {
    answer: (response: ServerResponse) => {
      response.statusCode = status;
      response.end(status === 204 ? undefined : 'not today');
    },
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    received.push({ path: request.url ?? '', headers: request.headers, body });
    state.answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, port, received, state };
}
