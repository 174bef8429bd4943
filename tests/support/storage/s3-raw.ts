import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { connect } from 'node:net';
import type { S3Keys } from './s3-client.ts';
import { type SignOptions, signedHeaders } from './s3-signing.ts';

/** A response of the S3 service, with the error code. */
export interface S3Reply {
  status: number;
  code: string | null;
  text: string;
  headers: Record<string, string>;
}

const codeOf = (text: string) => /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? null;

/** Sends exactly these headers to the service, which no client would allow. */
export function sendS3(
  port: number,
  { method, path, headers, body }: { method: string; path: string; headers: object; body?: string | Buffer },
): Promise<S3Reply> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const sent = request(
      { host: '127.0.0.1', port, method, path, agent: false, headers: { ...length, ...headers } },
      async (response) => {
        const parts: Buffer[] = [];
        for await (const part of response) parts.push(part);
        const text = Buffer.concat(parts).toString();
        const all = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
        resolve({
          status: response.statusCode ?? 0,
          code: codeOf(text),
          text,
          headers: Object.fromEntries(all),
        });
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

/** A document with its MD5, without which S3 accepts some. */
export function withMd5(body: string): { body: string; headers: Record<string, string> } {
  return { body, headers: { 'content-md5': createHash('md5').update(body).digest('base64') } };
}

/** Signs a request and sends it. */
export function signAndSend(
  port: number,
  options: Omit<SignOptions, 'host'> & { body?: string | Buffer; host?: string; keys: S3Keys },
): Promise<S3Reply> {
  const { body, ...signing } = options;
  const headers = signedHeaders({ host: `127.0.0.1:${port}`, ...signing });
  return sendS3(port, { method: options.method, path: options.path, headers, body });
}

/** Writes bytes to a connection, and returns the first response once it is complete. */
export function sendBytes(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (data) => {
      received += data.toString('latin1');
      const isEmpty =
        /^HTTP\/1.1 200 .*\r\ncontent-length: 0\r\n/is.test(received) && received.endsWith('\r\n\r\n');
      if (isEmpty || received.endsWith('</Error>')) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(received));
  });
}

/** Returns the head of a request in its wire format. */
export function headText(method: string, path: string, headers: Record<string, string | number>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
