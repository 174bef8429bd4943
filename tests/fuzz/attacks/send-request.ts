import { request } from 'node:http';
import { request as secureRequest } from 'node:https';

export interface SentRequest {
  port: number;
  /** Set for TLS: the server name. */
  secureHost?: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
  localAddress: string;
}

export interface SentResponse {
  /** 0 when the connection ended without a response. */
  status: number;
  /** The beginning of it. */
  text: string;
  headBytes: number;
}

const TIMEOUT_MS = 30_000;
const KEPT_BYTES = 2_000;

/**
 * Sends one request on a new connection. Resolves with status 0 when it was cut off, and rejects on a
 * timeout.
 */
export function sendRequest(sent: SentRequest): Promise<SentResponse> {
  const { port, secureHost, method, path, headers, body, localAddress } = sent;
  const options = {
    host: '127.0.0.1',
    port,
    method,
    path,
    headers,
    localAddress,
    agent: false,
    timeout: TIMEOUT_MS,
  };
  return new Promise((resolve, reject) => {
    const asked =
      secureHost === undefined
        ? request(options)
        : secureRequest({ ...options, servername: secureHost, rejectUnauthorized: false });
    asked.on('response', (response) => {
      const chunks: Buffer[] = [];
      let kept = 0;
      const finish = () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString(),
          headBytes: response.rawHeaders.join('').length,
        });
      response.on('data', (chunk: Buffer) => {
        if (kept < KEPT_BYTES) chunks.push(chunk.subarray(0, KEPT_BYTES));
        kept += chunk.length;
      });
      response.on('end', finish);
      response.on('error', finish);
    });
    asked.on('timeout', () => {
      asked.destroy();
      reject(new Error(`no answer within ${TIMEOUT_MS / 1000} s`));
    });
    // Cutting a client off is a right response.
    asked.on('error', () => resolve({ status: 0, text: '', headBytes: 0 }));
    asked.end(body);
  });
}
