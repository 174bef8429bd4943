import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OUTAGE_MESSAGE } from '#server/logging/log-outage.ts';
import { BrowserClient } from '#tests/support/client/browser-client.ts';
import {
  type DeploySite,
  hashOf,
  registerDeployer,
  requireStatus,
} from '#tests/support/client/deploy-client.ts';
import { openInteraction } from '#tests/support/client/sign-in.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { startPostgres } from '#tests/support/runner/postgres-server.ts';
import { type DatabaseProxy, startDatabaseProxy } from '#tests/support/server/database-proxy.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';
import { startTestS3Server, type TestS3Server } from '#tests/support/storage/s3-server.ts';

/** A refusal never takes longer, even on a busy machine. */
const REFUSED_WITHIN_MS = 20_000;
const FAULTS = ['away', 'silent'] as const;

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let database: DatabaseProxy;
let engine: TestS3Server;
let store: DatabaseProxy;
let server: TestServer;
let browser: BrowserClient;
let account: { email: string; password: string };
let site: DeploySite;

beforeAll(async () => {
  postgres = await startPostgres();
  database = await startDatabaseProxy(postgres.url);
  engine = await startTestS3Server();
  store = await startDatabaseProxy(engine.url);
  server = await startTestServer({ DATABASE_URL: database.url, OBJECT_STORE_URL: store.url });
  const deployer = await registerDeployer(server);
  ({ browser, account } = deployer.signedIn);
  site = await deployer.createSite('outages');
  await site.deploy({ 'index.html': 'known', 'away.txt': 'not read before', 'silent.txt': 'nor this' });
});

afterAll(async () => {
  await server?.close();
  await Promise.all([database?.close(), store?.close()]);
  await engine?.stop();
  await postgres?.stop();
});

async function begin(proxy: DatabaseProxy, fault: (typeof FAULTS)[number]): Promise<void> {
  if (fault === 'away') await proxy.goAway();
  else proxy.isSilent = true;
}

async function end(proxy: DatabaseProxy, fault: (typeof FAULTS)[number]): Promise<void> {
  if (fault === 'away') await proxy.comeBack();
  else proxy.isSilent = false;
}

/** Results are reused for two seconds. */
async function readiness(expected: number): Promise<void> {
  const ready = () => fetch(`${server.consoleUrl}/readyz`);
  const { headers } = await pollUntil(ready, ({ status }) => status === expected);
  expect(headers.has('retry-after')).toBe(expected === 503);
}

interface Refusal {
  status: number;
  retryAfter: boolean;
  type: string;
  isInTime: boolean;
  text: string;
}

async function ask(send: () => Promise<Response>): Promise<Refusal> {
  const startedAt = performance.now();
  const response = await send();
  const text = await response.text();
  return {
    status: response.status,
    retryAfter: Number(response.headers.get('retry-after')) > 0,
    type: response.headers.get('content-type')?.split(';')[0] ?? '',
    isInTime: performance.now() - startedAt < REFUSED_WITHIN_MS,
    text,
  };
}

/** Requests that cannot be served without the database; `good` is the usual status. */
function requestsNeedingDatabase(
  visitor: BrowserClient,
  uid: string,
): Record<string, { send: () => Promise<Response>; type: string; good: number }> {
  const problem = 'application/problem+json';
  const json = 'application/json';
  const html = 'text/html';
  const page = (language: string, path: string) => () =>
    browser.request(path, { headers: { accept: 'text/html', 'accept-language': language } });
  const get = (path: string) => () => browser.request(path);
  const withCredential = (path: string) => () =>
    fetch(new URL(path, server.consoleUrl), { headers: { authorization: site.authorization } });
  return {
    'REST of a person': { send: get('/api/v1/sites'), type: problem, good: 200 },
    'REST of a credential': { send: withCredential(site.path), type: problem, good: 200 },
    'a tRPC query': { send: get('/api/trpc/user.me'), type: json, good: 200 },
    'a tRPC batch': { send: get('/api/trpc/user.me,user.me?batch=1'), type: json, good: 200 },
    'a tRPC mutation': {
      send: () =>
        browser.sendJson('POST', '/api/trpc/user.updateSettings', { json: { language_preference: 'en-CA' } }),
      type: json,
      good: 200,
    },
    'a page in English': { send: page('en-CA', '/'), type: html, good: 307 },
    'a page in French': { send: page('fr-CA', '/'), type: html, good: 307 },
    'the way back from signing in': { send: page('fr-CA', '/auth/callback'), type: html, good: 303 },
    'a page of the identity service': {
      send: page('fr-CA', `/identity/interaction/${uid}`),
      type: html,
      good: 200,
    },
    'an organization of the identity service': {
      send: page('fr-CA', '/identity/nobody'),
      type: html,
      good: 404,
    },
    'a password': {
      send: () => visitor.sendJson('POST', `/identity/interaction/${uid}/sign-in`, account),
      type: problem,
      good: 200,
    },
    'a form of the identity service': {
      send: () => visitor.request(`/identity/interaction/${uid}/details`),
      type: problem,
      good: 200,
    },
    'a code exchanged by a program': {
      send: () =>
        fetch(new URL('/identity/token', server.consoleUrl), {
          method: 'POST',
          headers: { authorization: 'Basic YTpi' },
          body: new URLSearchParams({
            grant_type: 'authorization_code',
            code: 'x',
            redirect_uri: 'https://a',
          }),
        }),
      type: json,
      good: 401,
    },
  };
}

/** The same for a person in the middle of signing in. */
async function requestsOfVisitor() {
  const visitor = new BrowserClient(server.consoleUrl);
  return Object.entries(requestsNeedingDatabase(visitor, await openInteraction(visitor)));
}

describe.each(FAULTS)('a database that is %s', (fault) => {
  it('is reported as 503 on every surface, affects no known site, and works again automatically', async () => {
    expect((await server.edge(site.host, '/')).status).toBe(200);
    const all = await requestsOfVisitor();
    await begin(database, fault);
    try {
      const responses = await Promise.all(
        all.map(async ([name, { send, type }]) => ({ name, expected: type, ...(await ask(send)) })),
      );
      for (const { name, expected, text, ...response } of responses) {
        expect(response, `${name}: ${text.slice(0, 300)}`).toEqual({
          status: 503,
          retryAfter: true,
          isInTime: true,
          type: expected,
        });
      }
      const textOf = (name: string) => responses.find((response) => response.name === name)?.text;
      expect(textOf('a page in French')).toContain('De retour dans un instant');
      expect(textOf('a page in English')).toContain('Back in a moment');
      expect(textOf('a tRPC mutation')).toContain('service_unavailable');
      const { url } = await browser.navigate('/auth/login');
      expect(url.searchParams.get('error')).toBe('sign_in_unavailable');
      expect((await server.edge(site.host, '/')).body.toString()).toBe('known');
      expect((await server.edge('never-heard-of.sites.localhost', '/')).status).toBe(503);
      await readiness(503);
      for (const path of ['/healthz', '/metrics']) {
        expect((await fetch(`${server.consoleUrl}${path}`)).status, path).toBe(200);
      }
    } finally {
      await end(database, fault);
    }
    await readiness(200);
    for (const [name, { send, good }] of await requestsOfVisitor()) {
      const { status, text } = await ask(send);
      expect(status, `${name}: ${text.slice(0, 300)}`).toBe(good);
    }
  });
});

describe.each(FAULTS)('an object store that is %s', (fault) => {
  it('is reported as 503 where content is needed, affects nothing else, and works again automatically', async () => {
    const cold = `/${fault}.txt`;
    const file = { 'index.html': `new while it is ${fault}` };
    const sent = new Uint8Array(Buffer.from(file['index.html']));
    const version = await site.open(file);
    const upload = () =>
      fetch(new URL(`${version.path}/blobs/${hashOf(file['index.html'])}`, server.consoleUrl), {
        ...{ method: 'PUT', headers: { authorization: site.authorization }, body: sent },
      });
    const read = () =>
      server.edge(site.host, cold).then(({ status, headers, body }) => {
        const retryAfter = headers['retry-after'];
        const told = typeof retryAfter === 'string' ? retryAfter : '';
        return new Response(body.toString(), { status, headers: { 'retry-after': told } });
      });
    await begin(store, fault);
    try {
      const responses = await Promise.all([upload, read].map(ask));
      for (const { text, type, ...response } of responses) {
        expect(response, `${type} ${text}`).toEqual({ status: 503, retryAfter: true, isInTime: true });
      }
      expect(responses[0]?.type).toBe('application/problem+json');
      expect((await server.edge(site.host, '/')).body.toString()).toBe('known');
      await readiness(503);
      requireStatus(await site.client('GET', site.path), 200);
      requireStatus(await site.client('PATCH', site.path, { json: { description: fault } }), 200);
      expect((await fetch(`${server.consoleUrl}/healthz`)).status).toBe(200);
    } finally {
      await end(store, fault);
    }
    await readiness(200);
    expect(await pollUntil(read, ({ status }) => status === 200)).toMatchObject({ status: 200 });
    requireStatus(await site.client('DELETE', version.path), 204);
  });
});

it('no outage is reported as a defect', () => {
  const lines = server
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): { level: unknown; msg: string } => JSON.parse(line));
  const grave = lines.filter(({ level }) => level === 'error' || level === 'fatal' || Number(level) >= 50);
  const known = [OUTAGE_MESSAGE, 'a request could not be answered'];
  expect(grave.filter(({ msg }) => !known.includes(msg))).toEqual([]);
});
