import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { listen } from '../http/connections/http-listener.ts';
import { createConsoleMetrics } from '../metrics/console-metrics.ts';
import { answerConsole, createConsoleServer } from './create-console.ts';

it('pages that are requested at the same time begin in different turns of the loop', async () => {
  const app = await createTestApp();
  let turn = 0;
  const count = () => {
    turn += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  onTestFinished(() => clearImmediate(counting));
  const begun: number[] = [];
  const server = createConsoleServer();
  answerConsole(server, app, {
    resolveActor: async () => ({ kind: 'anonymous' }),
    authRoutes: async () => null,
    rest: async () => null,
    identity: null,
    assets: () => false,
    async renderPage() {
      begun.push(turn);
      return new Response('page');
    },
    metrics: createConsoleMetrics(app.metrics),
    accessLog: null,
  });
  onTestFinished(() => void server.close());
  onTestFinished(() => server.closeAllConnections());
  const port = await listen(server, 0, '127.0.0.1');
  // One write, so that one turn reads them all.
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /somewhere HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(12));
  await expect.poll(() => begun.length).toBe(12);
  expect(new Set(begun).size).toBe(12);
});
