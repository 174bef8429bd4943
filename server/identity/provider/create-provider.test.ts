import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createLogger } from '#server/logging/logger.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createProvider } from './create-provider.ts';
import { loadIdentityKeys } from './identity-keys.ts';
import { CONSOLE_CLIENT_ID } from './provider-clients.ts';
import { createWaitingInteractions } from './waiting-interactions.ts';

/** Begins two sign-ins while nothing can be written; returns where they led, and what was logged. */
async function signInTwice(refusal: Error) {
  const logger = createLogger('silent');
  const error = vi.spyOn(logger, 'error');
  const app = await createTestApp({ logger });
  const provider = createProvider(app, await loadIdentityKeys(app), 'secret', createWaitingInteractions(app));
  const server = createServer(provider.callback()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  vi.spyOn(app.db, 'insertInto').mockImplementation(() => {
    throw refusal;
  });
  const query = new URLSearchParams({
    ...{ client_id: CONSOLE_CLIENT_ID, response_type: 'code', scope: 'openid' },
    ...{ redirect_uri: `${app.config.publicUrl}/auth/callback` },
    ...{ code_challenge: 'a'.repeat(43), code_challenge_method: 'S256' },
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/auth?${query}`;
  const led: (string | null)[] = [];
  for (const _ of [1, 2]) {
    const response = await fetch(address, { redirect: 'manual' });
    led.push(response.headers.get('location'));
  }
  return {
    led: led.map((to) => to?.replace(/.*error=/, '')),
    logged: error.mock.calls.map(([, line]) => line),
  };
}

it('a sign-in while the disk of the database is full says that it is unavailable, and the reason is logged once', async () => {
  const refusal = new Error('could not extend file: No space left on device');
  const { led, logged } = await signInTwice(Object.assign(refusal, { code: '53100' }));
  expect(led).toEqual(['sign_in_unavailable', 'sign_in_unavailable']);
  expect(logged).toEqual(['the disk of the database is full']);
});

it('a defect of a sign-in is logged each time', async () => {
  const { led, logged } = await signInTwice(new TypeError('a defect'));
  expect(led).toEqual(['sign_in_refused', 'sign_in_refused']);
  expect(logged).toEqual(['identity provider failed', 'identity provider failed']);
});
