import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect as connectHttp2,
  constants,
  type IncomingHttpHeaders,
  type Settings,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import * as x509 from '@peculiar/x509';
import { onTestFinished } from 'vitest';
import type { EdgeOptions } from '#server/edge/create-edge.ts';
import type { EdgeCertificate } from '#server/edge/ports.ts';
import { makeFallbackCertificate } from '#server/edge/tls/fallback-certificate.ts';
import { type MemoryPorts, startEdge, type TestEdge } from './edge-fixture.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 86_400_000;
const execute = promisify(execFile);

/** An authority created for one test run. */
export interface TestAuthority {
  /** PEM of its root. */
  readonly root: string;
  issue(names: readonly string[], validUntil?: number): Promise<EdgeCertificate>;
}

export async function createTestAuthority(): Promise<TestAuthority> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ CN: ['Test root'] }],
    notBefore: new Date(Date.now() - 30 * dayMs),
    notAfter: new Date(Date.now() + 30 * dayMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  return {
    root: root.toString('pem'),
    async issue(names, validUntil = Date.now() + 5 * dayMs) {
      const own = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
      const leaf = await x509.X509CertificateGenerator.create({
        serialNumber: serialNumber(),
        subject: '',
        issuer: root.subject,
        notBefore: new Date(Date.now() - 20 * dayMs),
        notAfter: new Date(validUntil),
        signingAlgorithm: algorithm,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        extensions: [
          new x509.BasicConstraintsExtension(false, undefined, true),
          new x509.SubjectAlternativeNameExtension(
            names.map((value) => ({ type: 'dns' as const, value })),
            true,
          ),
        ],
      });
      const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', own.privateKey)).toString('base64');
      const privateKey = `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`;
      return { id: leaf.serialNumber, chain: leaf.toString('pem'), privateKey };
    },
  };
}

function serialNumber(): string {
  return `40${randomBytes(15).toString('hex')}`;
}

/** A listening edge with both ports. */
export interface SecureTestEdge extends TestEdge {
  readonly securePort: number;
}

const ticketSecret = Buffer.alloc(32, 'ticket secret');

/** Starts an edge with both ports for the current test, and closes it when the test ends. */
export async function startSecureEdge(
  ports: MemoryPorts,
  options: Partial<EdgeOptions> = {},
): Promise<SecureTestEdge> {
  const fallback = await makeFallbackCertificate(['*.sites.test']);
  const secure = { ticketSecret, defaultName: '-.sites.test', fallback };
  const running = await startEdge(ports, { secure, ...options });
  onTestFinished(() => running.edge.close());
  const { secureServer } = running.edge;
  if (secureServer === null) throw new Error('the edge has no https port');
  await new Promise<void>((resolve) => secureServer.listen(0, '127.0.0.1', resolve));
  return { ...running, securePort: (secureServer.address() as AddressInfo).port };
}

/** Opens a TLS connection; rejects when the handshake fails. */
export async function openTls(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  await new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed in the handshake')));
  });
  // Later errors are visible to the reader.
  socket.on('error', () => {});
  return socket;
}

/** Returns the serial number, in lower case, of the certificate shown for a server name. */
export async function shownSerial(port: number, servername?: string): Promise<string> {
  const socket = await openTls(port, servername === undefined ? {} : { servername });
  const { serialNumber: shown } = socket.getPeerCertificate();
  socket.destroy();
  return shown.toLowerCase();
}

export interface StreamResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** Opens an HTTP/2 connection to the edge. */
export async function openHttp2(
  port: number,
  servername: string,
  options: ConnectionOptions = {},
  settings: Settings = {},
): Promise<ClientHttp2Session> {
  const session = connectHttp2(`https://${servername}:${port}`, {
    settings,
    createConnection: () =>
      connect({
        port,
        host: '127.0.0.1',
        servername,
        ALPNProtocols: ['h2'],
        rejectUnauthorized: false,
        ...options,
      }),
  });
  session.on('error', () => {});
  await once(session, 'connect');
  return session;
}

/** Sends one request on an HTTP/2 connection. */
export async function askHttp2(
  session: ClientHttp2Session,
  path: string,
  headers: Record<string, string> = {},
): Promise<StreamResponse> {
  const stream = session.request({ ':path': path, ...headers });
  const chunks: Buffer[] = [];
  // A whole response may come at once: node takes a stream that was read too late for a broken one.
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.end();
  // One promise for both: a stream that fails rejects each of them, and a second rejection has no reader.
  const [[response]] = (await Promise.all([once(stream, 'response'), once(stream, 'close')])) as [
    [IncomingHttpHeaders & { ':status': number }],
    unknown,
  ];
  if (stream.rstCode !== constants.NGHTTP2_NO_ERROR)
    throw new Error(`the stream was reset: ${stream.rstCode}`);
  const answered = Object.entries(response).filter(([name]) => !name.startsWith(':'));
  const fields = Object.fromEntries(answered.map(([name, value]) => [name, String(value)]));
  return { status: response[':status'], headers: fields, body: Buffer.concat(chunks) };
}

/** Returns the output of a program, including its errors; it need not succeed. */
export async function runProgram(program: string, parameters: readonly string[]): Promise<string> {
  return execute(program, [...parameters]).then(
    ({ stdout, stderr }) => stdout + stderr,
    (error: { stdout?: string; stderr?: string }) => `${error.stdout ?? ''}${error.stderr ?? ''}`,
  );
}

/** Runs `openssl s_client` with only `input`, and returns its output. */
export async function runOpenssl(port: number, parameters: readonly string[], input = ''): Promise<string> {
  const child = spawn('openssl', ['s_client', '-connect', `127.0.0.1:${port}`, ...parameters]);
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  child.stdin.end(input);
  await once(child, 'close');
  return printed;
}
