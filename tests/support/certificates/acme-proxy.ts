import { mkdtemp, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as ask, createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { removeFolder } from '../remove-folder.ts';
import { makeServerCertificate } from '../server/server-certificate.ts';
import type { Pebble } from './pebble.ts';

/** A response instead of Pebble's. */
export interface AcmeRefusal {
  status: number;
  /** The error type, without the prefix of RFC 8555. */
  type: string;
  detail: string;
  headers?: Record<string, string>;
}

/**
 * Adds what Pebble 2.4 does not support, as Let's Encrypt does it: limits, renewal windows (RFC 9773), CAA
 * names.
 */
export interface AcmeProxy {
  directoryUrl: string;
  /** PEM file of the CA that signed its https certificate, for ACME_CA_FILE. */
  caFile: string;
  /** Received requests, e.g. `POST /order-plz`. */
  readonly requests: string[];
  /**
   * The signed content of every order that Pebble received: one in twenty arrives twice because its first
   * nonce is rejected.
   */
  readonly orders: { identifiers: { value: string }[]; replaces?: string }[];
  /** Windows by renewal identifier; others get 404. */
  readonly renewalWindows: Map<string, { start: string; end: string; retryAfter?: string }>;
  /** Names in the directory's `caaIdentities`. */
  caaIdentities: string[];
  /** Whether the directory offers renewal windows. */
  hasRenewalInfo: boolean;
  /** When it returns a response, Pebble is not called. */
  refuse: ((request: string, payload: { replaces?: string } | null) => AcmeRefusal | null) | null;
  close(): Promise<void>;
}

const TYPE_PREFIX = 'urn:ietf:params:acme:error:';
const RENEWAL_PATH = '/renewal-info/';

/**
 * Starts a proxy in front of a Pebble. Addresses that Pebble returns lead through it, because Pebble builds
 * them from the requested host.
 */
export async function startAcmeProxy(pebble: Pebble): Promise<AcmeProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'portage-acme-proxy-'));
  const caFile = join(folder, 'certificate.pem');
  const https = await makeServerCertificate(['127.0.0.1']);
  await writeFile(caFile, https.certificate);
  const server = createServer({ cert: https.certificate, key: https.privateKey }, (request, response) => {
    answer(proxy, pebble, request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const proxy: AcmeProxy = {
    directoryUrl: `https://127.0.0.1:${address.port}/dir`,
    caFile,
    requests: [],
    orders: [],
    renewalWindows: new Map(),
    caaIdentities: [],
    hasRenewalInfo: true,
    refuse: null,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await removeFolder(folder);
    },
  };
  return proxy;
}

async function answer(
  proxy: AcmeProxy,
  pebble: Pebble,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.url ?? '/';
  const question = `${request.method} ${path}`;
  proxy.requests.push(question);
  const body = await buffer(request);
  const payload = readPayload(body);
  const refusal = proxy.refuse?.(question, payload);
  if (refusal) return refuseWith(response, refusal);
  if (path.startsWith(RENEWAL_PATH)) return answerRenewal(proxy, path.slice(RENEWAL_PATH.length), response);
  const told = await passOn(pebble, request, body);
  if (question === 'POST /order-plz' && payload && told.status === 201) proxy.orders.push(payload);
  if (path !== '/dir') {
    response.writeHead(told.status, told.headers).end(told.body);
    return;
  }
  const directory = JSON.parse(told.body.toString());
  directory.meta = { ...directory.meta, caaIdentities: proxy.caaIdentities };
  if (proxy.hasRenewalInfo) directory.renewalInfo = new URL(RENEWAL_PATH, proxy.directoryUrl).href;
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(directory));
}

function refuseWith(response: ServerResponse, { status, type, detail, headers }: AcmeRefusal): void {
  response.writeHead(status, { 'content-type': 'application/problem+json', ...headers });
  response.end(JSON.stringify({ type: `${TYPE_PREFIX}${type}`, detail, status }));
}

function answerRenewal(proxy: AcmeProxy, identifier: string, response: ServerResponse): void {
  const window = proxy.renewalWindows.get(identifier);
  if (!window) {
    refuseWith(response, { status: 404, type: 'malformed', detail: 'Certificate not found' });
    return;
  }
  const { start, end, retryAfter = '21600' } = window;
  response.writeHead(200, { 'content-type': 'application/json', 'retry-after': retryAfter });
  response.end(JSON.stringify({ suggestedWindow: { start, end } }));
}

function passOn(pebble: Pebble, request: IncomingMessage, body: Buffer) {
  const url = new URL(request.url ?? '/', pebble.directoryUrl);
  return new Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>(
    (resolve, reject) => {
      const { method, headers } = request;
      const asking = ask(url, { method, headers, ca: pebble.caCertificate, agent: false }, (told) => {
        const status = told.statusCode ?? 0;
        buffer(told).then((all) => resolve({ status, headers: told.headers, body: all }), reject);
      });
      asking.on('error', reject);
      asking.end(body);
    },
  );
}

/** Returns the payload of a request, without its signature; null for an empty one. */
function readPayload(body: Buffer): AcmeProxy['orders'][number] | null {
  if (body.length === 0) return null;
  const { payload } = JSON.parse(body.toString());
  return payload ? JSON.parse(Buffer.from(payload, 'base64url').toString()) : null;
}
