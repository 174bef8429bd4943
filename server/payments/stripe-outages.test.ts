import { createServer, type ServerResponse } from 'node:http';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { listenOnFreePort } from '#tests/support/server/console-server.ts';
import { createStripeProvider } from './stripe-provider.ts';

const SETTINGS = {
  mode: 'test',
  secretKey: 'sk_test_1',
  publishableKey: 'pk_test_1',
  webhookSecrets: [],
} as const;
const TIMEOUT_MS = 500;

/** Asks the provider as in production for an invoice, from a server that answers like this. */
async function askOnce(answer: (response: ServerResponse) => void): Promise<unknown> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    answer(response);
  });
  const url = await listenOnFreePort(server);
  const send = globalThis.fetch;
  vi.stubGlobal('fetch', (input: string, init: RequestInit) =>
    send(input.replace(/^https:\/\/api\.stripe\.com(:\d+)?/, url), init),
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  const app = await createTestApp();
  const provider = createStripeProvider(SETTINGS, { ...app, retries: 0, timeoutMs: TIMEOUT_MS });
  const result = await provider.getInvoice('in_1').catch((error: unknown) => error);
  expect(requests).toBe(1);
  return result;
}

const JSON_TYPE = { 'content-type': 'application/json' };

it('a payment provider that answers a byte at a time is given up', async () => {
  const result = await askOnce((response) => {
    response.writeHead(200, JSON_TYPE);
    const dripping = setInterval(() => response.write(' '), TIMEOUT_MS / 10);
    response.once('close', () => clearInterval(dripping));
  });
  expect(result).toMatchObject({ kind: 'unavailable' });
});

it('a payment provider whose response does not end is given up before it fills the memory', async () => {
  let sent = 0;
  const result = await askOnce((response) => {
    response.writeHead(200, JSON_TYPE);
    const piece = Buffer.alloc(1024 ** 2, ' ');
    const goOn = () => {
      if (response.destroyed) return;
      sent += piece.byteLength;
      response.write(piece, goOn);
    };
    goOn();
  });
  expect(result).toMatchObject({ kind: 'unavailable' });
  expect(sent).toBeLessThan(64 * 1024 ** 2);
});

it('a payment provider that redirects is not followed', async () => {
  const result = await askOnce((response) => response.writeHead(307, { location: '/elsewhere' }).end());
  expect(result).toMatchObject({ kind: 'unavailable' });
});

it('a payment provider that is still busy with the same request has refused nothing', async () => {
  const error = { type: 'idempotency_error', code: 'idempotency_key_in_use', message: 'in progress' };
  const result = await askOnce((response) =>
    response.writeHead(409, JSON_TYPE).end(JSON.stringify({ error })),
  );
  expect(result).toMatchObject({ kind: 'unavailable', code: 'idempotency_key_in_use' });
});
