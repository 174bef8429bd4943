import { AsyncLocalStorage } from 'node:async_hooks';
import { type IncomingMessage, request as requestPlainly } from 'node:http';
import { Agent, request as requestSecurely } from 'node:https';
import { createSecureContext, getCACertificates } from 'node:tls';
import * as acme from 'acme-client';
import type { Clock } from '../clock.ts';
import { AppError, isNodeError } from '../errors.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import { toAcmeProblem } from './acme-problem.ts';
import { AuthorityError } from './authority.ts';

const REQUEST_MS_MAX = 15_000;
const STEP_MS_MAX = 60_000;
/** Far more than any order, chain or directory. */
const RESPONSE_BYTES_MAX = 512 * 1024;

/**
 * How we talk to an ACME server: limited in time and size, without redirects, its refusals as
 * AuthorityErrors.
 */
export interface AcmeTransport {
  /** Runs a step of the library, whose requests then use this transport. @throws AuthorityError */
  run<T>(step: () => Promise<T>): Promise<T>;
  /** Reads public JSON. @throws AuthorityError */
  readJson(url: string): Promise<{ body: unknown; retryAfter: string | undefined }>;
}

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
}

interface Question {
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
}

type Ask = (url: string, question: Question) => Promise<Answer>;

const current = new AsyncLocalStorage<Ask>();

// The library's own axios instance, used by nothing else. Its default adapter follows redirects, and its
// retries wait as long as a server says, while here the poller of an order resumes it.
acme.axios.defaults.adapter = async (config) => {
  const ask = current.getStore();
  if (!ask) throw new Error('an ACME request has to be made in a step of its transport');
  const { url = '', method = 'get', data } = config;
  const headers = Object.entries(config.headers.toJSON()).map(([name, value]) => [name, String(value)]);
  const response = await ask(url, {
    method: method.toUpperCase(),
    headers: Object.fromEntries(headers),
    body: typeof data === 'string' ? data : undefined,
  });
  return {
    data: response.body,
    status: response.status,
    statusText: '',
    headers: { ...response.headers },
    config,
  };
};

/**
 * Returns the transport.
 * @param extraRoots PEM certificates that are trusted in addition to the usual ones
 */
export function createAcmeTransport(parts: {
  clock: Clock;
  extraRoots: string | null;
  outgoing: Outgoing;
  requestMsMax?: number;
}): AcmeTransport {
  const agent = parts.extraRoots === null ? undefined : trustingAgent(parts.extraRoots);

  // Any response of the server, including a refusal, arrives promptly; only what makes callers wait opens the
  // circuit.
  const circuit = parts.outgoing.circuit('authority', (error) => !(error instanceof AuthorityError));

  const askWithin =
    (deadline: AbortSignal): Ask =>
    async (url, question) => {
      const signal = AbortSignal.any([deadline, AbortSignal.timeout(parts.requestMsMax ?? REQUEST_MS_MAX)]);
      const response = await circuit
        .run(() => exchange(url, question, agent, signal))
        .catch((error: unknown) => {
          throw toOutage(url, error, signal.aborted);
        });
      if (response.status >= 200 && response.status < 300) return response;
      const retryAfter = response.headers['retry-after'];
      const problem = toAcmeProblem({ ...response, retryAfter }, parts.clock.now());
      // The library retries with another nonce.
      if (problem.type === 'badNonce' && response.status === 400) return response;
      throw problem;
    };

  return {
    async run(step) {
      try {
        return await current.run(askWithin(AbortSignal.timeout(STEP_MS_MAX)), step);
      } catch (error) {
        throw toAuthorityError(error);
      }
    },
    async readJson(url) {
      const ask = askWithin(AbortSignal.timeout(STEP_MS_MAX));
      try {
        const response = await ask(url, { method: 'GET', headers: {}, body: undefined });
        return { body: JSON.parse(response.body), retryAfter: response.headers['retry-after'] };
      } catch (error) {
        throw toAuthorityError(error);
      }
    },
  };
}

/** Returns an agent that trusts these roots, too. It reads all of them once; given as `ca`, each connection would. */
function trustingAgent(extraRoots: string): Agent {
  return new Agent({
    secureContext: createSecureContext({ ca: [...getCACertificates('default'), extraRoots] }),
  });
}

/** The library throws plain errors when a response lacks a required field. */
function toAuthorityError(error: unknown): AuthorityError {
  if (error instanceof AuthorityError) return error;
  return new AuthorityError('unavailable', 'The authority answered something unexpected.', { cause: error });
}

function toOutage(url: string, error: unknown, isLate: boolean): AuthorityError {
  if (error instanceof AuthorityError) return error;
  const why = isLate ? 'no answer in time' : reasonOf(error);
  const host = URL.canParse(url) ? new URL(url).host : 'the address is not valid';
  return new AuthorityError('unavailable', `The authority cannot be reached: ${host}: ${why}.`, {
    cause: error,
  });
}

function reasonOf(error: unknown): string {
  if (error instanceof AppError) return 'it has not answered recently';
  return isNodeError(error) && error.code ? error.code : 'no connection';
}

async function exchange(
  url: string,
  question: Question,
  agent: Agent | undefined,
  signal: AbortSignal,
): Promise<Answer> {
  const message = await send(url, question, agent, signal);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message) {
    bytes += chunk.length;
    if (bytes > RESPONSE_BYTES_MAX)
      throw new AuthorityError('unavailable', 'The authority’s answer is too large.');
    chunks.push(chunk);
  }
  return {
    status: message.statusCode ?? 0,
    headers: message.headers,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

async function send(
  url: string,
  question: Question,
  agent: Agent | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const isSecure = new URL(url).protocol === 'https:';
  const { method, headers } = question;
  const request = isSecure
    ? requestSecurely(url, { method, headers, agent, signal })
    : requestPlainly(url, { method, headers, signal });
  try {
    return await new Promise<IncomingMessage>((resolve, reject) => {
      request.on('response', resolve);
      request.on('error', reject);
      // A response that changes the protocol ends the request with neither a response nor an error.
      request.on('close', () => reject(new Error('the connection was closed without a response')));
      request.end(question.body);
    });
  } catch (error) {
    // The server had just closed a kept-alive connection and has read nothing of the request.
    const isStale = request.reusedSocket && isNodeError(error) && error.code === 'ECONNRESET';
    if (!isStale) throw error;
    return send(url, question, agent, signal);
  }
}
