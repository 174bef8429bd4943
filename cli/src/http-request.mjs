import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { authorizationOf, proxyOf, TunnelAgent } from './proxy.mjs';

const CHUNK_BYTES = 64 * 1024;

/** The agents by what they connect to, so that requests share connections. */
const agents = new Map();

/**
 * @typedef {object} HttpAnswer
 * @property {number} status
 * @property {import('node:http').IncomingHttpHeaders} headers
 * @property {string} text
 */

/**
 * @typedef {object} HttpRequest
 * @property {string} method
 * @property {Record<string, string>} headers
 * @property {Buffer | null} [body]
 * @property {(() => Readable) | null} [openBody] opens a stream of exactly `bodyLength` bytes
 * @property {number} [bodyLength]
 * @property {number} silenceMs the timeout without any data
 * @property {(bytes: number) => void} [onSent]
 * @property {AbortSignal} [signal] ends the request
 */

/** The file being sent could not be read to its end: retrying does not help. */
export class BodyError extends Error {
  /** @override */
  name = 'BodyError';
  isTooShort = false;
}

/**
 * Sends one request and returns its response. A response that arrives before the body was sent, such as a
 * refusal, is accepted and the rest of the body is not sent.
 * @param {URL} url
 * @param {HttpRequest} options
 * @returns {Promise<HttpAnswer>} rejects only when the network failed
 */
export function sendRequest(url, options) {
  const { method, headers, body, openBody, bodyLength, silenceMs, onSent, signal } = options;
  return new Promise((resolve, reject) => {
    let hasAnswer = false;
    const request = openRequest(url, method, headers, signal);
    const source = openBody ? openBody() : Readable.from(body ? inChunks(body) : []);
    request.on('response', (response) => {
      hasAnswer = true;
      source.unpipe(request);
      source.destroy();
      /** @type {Buffer[]} */
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        // After a truncated body, the connection cannot be used for another request.
        if (!request.writableFinished) request.destroy();
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    request.on('error', (error) => {
      source.destroy();
      if (!hasAnswer) reject(error);
    });
    request.setTimeout(silenceMs, () =>
      request.destroy(new Error(`no answer for ${Math.round(silenceMs / 1000)} seconds`)),
    );
    const length = openBody ? (bodyLength ?? 0) : (body?.length ?? 0);
    if (method !== 'GET') request.setHeader('content-length', length);
    let read = 0;
    source.on('data', (chunk) => {
      read += chunk.length;
      onSent?.(chunk.length);
    });
    source.on('error', (error) => {
      if (!hasAnswer) request.destroy(new BodyError(error.message));
    });
    source.on('end', () => {
      if (read >= length) return;
      const error = new BodyError('A file became shorter while it was being deployed.');
      request.destroy(Object.assign(error, { isTooShort: true }));
    });
    source.pipe(request);
  });
}

/**
 * Cuts a body so that it is seen to be sent, piece by piece.
 * @param {Buffer} body
 */
function* inChunks(body) {
  for (let start = 0; start < body.length; start += CHUNK_BYTES)
    yield body.subarray(start, start + CHUNK_BYTES);
}

/**
 * Begins a request, through the proxy that the environment names, if any.
 * @param {URL} url
 * @param {string} method
 * @param {Record<string, string>} headers
 * @param {AbortSignal} [signal]
 */
function openRequest(url, method, headers, signal) {
  const proxy = proxyOf(url, process.env);
  if (url.protocol === 'https:') {
    const agent = agentOf(proxy?.href ?? url.protocol, () =>
      proxy ? new TunnelAgent(proxy) : new HttpsAgent({ keepAlive: true }),
    );
    return httpsRequest(url, { method, headers, agent, signal });
  }
  if (proxy === null) {
    const agent = agentOf(url.protocol, () => new HttpAgent({ keepAlive: true }));
    return httpRequest(url, { method, headers, agent, signal });
  }
  // A proxy is asked for the whole address.
  return (proxy.protocol === 'https:' ? httpsRequest : httpRequest)(proxy, {
    method,
    signal,
    path: url.href,
    headers: { ...headers, host: url.host, ...authorizationOf(proxy) },
  });
}

/**
 * @param {string} key
 * @param {() => HttpAgent} open
 * @returns {HttpAgent}
 */
function agentOf(key, open) {
  const known = agents.get(key) ?? open();
  agents.set(key, known);
  return known;
}
