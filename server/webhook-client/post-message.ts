import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { App } from '#server/context.ts';
import { HOUR_MS } from '../durations.ts';
import { readRetryAfter } from '../outgoing/read-retry-after.ts';
import type { DeliveryProblem } from '../services/webhooks/rules.ts';
import { resolveReceiver } from './resolve-receiver.ts';

/** From the first DNS query to the end of the response. */
const TIMEOUT_MS = 10_000;
/** How much of a response is kept. */
const RESPONSE_BYTES_MAX = 1_024;
/** Responses before the response (100 to 199), of which no receiver needs more than one. */
const INTERIM_ANSWERS_MAX = 10;

/** Longest pause that a receiver can ask for with Retry-After. */
const RETRY_AFTER_MAX_MS = 12 * HOUR_MS;
/** Responses that ask to come back later: too many requests, and unavailable. */
const ASKS_TO_WAIT = new Set([429, 503]);

/** The result of an attempt. */
export interface Attempt {
  status: number | null;
  problem: DeliveryProblem | null;
  answer: string | null;
  /** How long the receiver asks to wait, in milliseconds; 0 unless it does. */
  waitMs: number;
}

/** Posts one message to an address and returns the result; never throws. Redirects are not followed. */
export async function postMessage(
  app: Pick<App, 'config' | 'lookup'>,
  to: string,
  { headers, body }: { headers: Record<string, string>; body: string },
  stopping?: AbortSignal,
): Promise<Attempt> {
  const url = new URL(to);
  // Not AbortSignal.timeout: it would hold every request until its time is up.
  const ending = new AbortController();
  const { signal } = ending;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    ending.abort();
  }, TIMEOUT_MS);
  const stop = () => ending.abort();
  stopping?.addEventListener('abort', stop, { once: true });
  if (stopping?.aborted) stop();
  try {
    const receiver = await Promise.race([
      resolveReceiver(app, url.hostname.replace(/^\[|\]$/g, '')),
      aborted(signal),
    ]);
    if ('problem' in receiver) return failure(receiver.problem, null);
    return await send(url, { addresses: receiver.addresses, headers, body, signal });
  } catch (error) {
    const problem = isLate ? 'timeout' : problemOf(error);
    return failure(problem, error instanceof Error ? cut(error.message) : null);
  } finally {
    clearTimeout(timer);
    stopping?.removeEventListener('abort', stop);
  }
}

function failure(problem: DeliveryProblem, answer: string | null): Attempt {
  return { status: null, problem, answer, waitMs: 0 };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(new Error('it was stopped'));
    signal.addEventListener('abort', () => reject(new Error('it took too long')), { once: true });
  });
}

interface Sending {
  addresses: readonly string[];
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

function send(url: URL, { addresses, headers, body, signal }: Sending): Promise<Attempt> {
  const options: RequestOptions = {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    lookup: fixedLookup(addresses),
    agent: false,
    signal,
    maxHeaderSize: 16_384,
  };
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options);
    request.on('error', reject);
    // A response that changes the protocol ends the request with neither a response nor an error.
    request.on('close', () => reject(new Error('it closed the connection without a response')));
    let interimResponses = 0;
    request.on('information', () => {
      interimResponses += 1;
      if (interimResponses > INTERIM_ANSWERS_MAX) request.destroy(new Error('it never comes to its answer'));
    });
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      let isFinished = false;
      const finish = () => {
        const status = response.statusCode ?? 0;
        isFinished = true;
        response.destroy();
        const answer = cut(Buffer.concat(chunks).toString('utf8'));
        resolve({ status, problem: judge(status), answer, waitMs: waitOf(status, response) });
      };
      response.on('data', (chunk: Buffer) => {
        // What was read together with the end may consist of thousands of pieces.
        if (isFinished) return;
        chunks.push(chunk);
        size += chunk.byteLength;
        if (size >= RESPONSE_BYTES_MAX) finish();
      });
      response.on('end', finish);
      response.on('error', reject);
    });
    request.end(body);
  });
}

/** Connects to the addresses that were checked and to nothing else. */
function fixedLookup(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    const [first] = found;
    if (options.all) callback(null, found);
    else callback(null, first?.address ?? '', first?.family);
  };
}

function judge(status: number): DeliveryProblem | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'redirected' : 'status';
}

function waitOf(status: number, { headers }: IncomingMessage): number {
  if (!ASKS_TO_WAIT.has(status)) return 0;
  const now = Date.now();
  return (readRetryAfter(headers['retry-after'], now, RETRY_AFTER_MAX_MS) ?? now) - now;
}

function problemOf(error: unknown): DeliveryProblem {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /CERT|SSL|TLS|SIGNATURE|ALTNAME/.test(code) ? 'certificate_refused' : 'connection_failed';
}

/** Cuts a text to one that every database accepts. */
function cut(text: string): string {
  return text.replaceAll('\0', '').slice(0, RESPONSE_BYTES_MAX);
}
