import { setTimeout as wait } from 'node:timers/promises';
import { CliError, EXIT, messageOf } from './cli-error.mjs';
import { BodyError, sendRequest } from './http-request.mjs';

/** @typedef {import('./http-request.mjs').HttpAnswer} HttpAnswer */
/** @typedef {import('./exchange-token.mjs').Keys} Keys */

const ATTEMPTS = 6;
/** A server that was reached before and is away for this long is being restarted, or its line is interrupted. */
const OUTAGE_PATIENCE_MS = 2 * 60_000;
/**
 * If the server has never responded, its address is probably wrong: people should not wait long to learn
 * that.
 */
const FIRST_CONTACT_ATTEMPTS = 3;
const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 5_000;
const LONGEST_RETRY_AFTER_MS = 120_000;
/** A server that says when to come back is retried for this long: it is busy, not broken. */
const BUSY_PATIENCE_MS = 10 * 60_000;
const SILENCE_MS = 60_000;
/** The code of the failure of an upload whose file is no longer what it was. */
export const FILE_CHANGED = 'file_changed';
/** What is sent may wait in buffers on its way through a slow line, while nothing is to be seen of it here. */
const SLOW_BYTES_PER_MS = 10;
const UPLOAD_SILENCE_MS_MAX = 5 * 60_000;

/** Statuses that a retry may well not get again. */
const PASSING_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);
/** What a proxy answers while the server is away, and the server itself while it waits for what it depends on. */
const OUTAGE_STATUSES = new Set([502, 503, 504]);

/**
 * @typedef {object} CallOptions
 * @property {unknown} [json]
 * @property {Buffer} [body]
 * @property {() => import('node:stream').Readable} [openBody]
 * @property {number} [bodyLength]
 * @property {string} [contentType]
 * @property {Record<string, string>} [headers]
 * @property {number} [silenceMs]
 * @property {(bytes: number) => void} [onSent] negative when an attempt failed and its bytes are sent again
 */

/** @param {Keys} keys */
function authorizationWith({ publicKey, secretKey }) {
  return `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`;
}

/** @param {string} version */
function userAgentOf(version) {
  return `portage-cli/${version} node/${process.versions.node}`;
}

/** Calls `/api/v1`, usually with a credential, and retries on short failures of the network or the server. */
export class ApiClient {
  /**
   * @param {{ url: URL, keys: Keys | null, version: string, renewKeys?: (() => Promise<Keys>) | null }} settings without keys for
   *   what anyone may call; `renewKeys` replaces keys that have expired
   * @param {(message: string) => void} onRetry called before each new attempt
   */
  constructor({ url, keys, version, renewKeys = null }, onRetry = () => undefined) {
    this.url = url;
    this.renewKeys = renewKeys;
    /** @type {Promise<void> | null} */
    this.renewing = null;
    this.onRetry = onRetry;
    this.hasContact = false;
    this.ending = new AbortController();
    this.headers = {
      ...(keys && { authorization: authorizationWith(keys) }),
      'user-agent': userAgentOf(version),
      accept: 'application/json',
    };
  }

  /** Ends the calls that are running, which fail: nothing comes of them any more. */
  end() {
    this.ending.abort();
    this.ending = new AbortController();
  }

  /**
   * Returns the response of a call that succeeded.
   * @param {string} method
   * @param {string} path below `/api/v1`, or a path from a Link header
   * @param {CallOptions} [options]
   * @returns {Promise<{ json: unknown, headers: HttpAnswer['headers'] }>}
   * @throws {CliError} with the server's message and the matching exit code
   */
  async call(method, path, options = {}) {
    const url = new URL(path.startsWith('/api/') ? path : `/api/v1${path}`, this.url);
    const body =
      options.json === undefined ? (options.body ?? null) : Buffer.from(JSON.stringify(options.json));
    const contentType = options.json === undefined ? options.contentType : 'application/json';
    const ownHeaders = { ...(contentType ? { 'content-type': contentType } : {}), ...options.headers };
    const { signal } = this.ending;
    let hasRenewed = false;
    /** @type {number | null} */
    let failingSince = null;
    for (let attempt = 1; ; attempt += 1) {
      let sent = 0;
      const onSent = (/** @type {number} */ bytes) => {
        sent += bytes;
        options.onSent?.(bytes);
      };
      const { openBody, bodyLength } = options;
      const headers = { ...this.headers, ...ownHeaders };
      const silenceMs = options.silenceMs ?? silenceFor(bodyLength ?? body?.length ?? 0);
      const request = { method, headers, body, openBody, bodyLength, silenceMs, onSent, signal };
      /** @type {HttpAnswer | Error} */
      const outcome = await sendRequest(url, request).catch(toError);
      this.hasContact ||= !(outcome instanceof Error);
      if (!(outcome instanceof Error) && outcome.status >= 200 && outcome.status < 300) {
        return { json: parseBody(outcome), headers: outcome.headers };
      }
      if (!(outcome instanceof Error) && outcome.status === 401 && this.renewKeys !== null && !hasRenewed) {
        hasRenewed = true;
        options.onSent?.(-sent);
        await this.renew(headers.authorization, this.renewKeys);
        continue;
      }
      const isPassing =
        outcome instanceof Error
          ? !(outcome instanceof BodyError)
          : PASSING_STATUSES.has(outcome.status) || isBeingSealed(outcome);
      failingSince ??= Date.now();
      const attempts = this.hasContact ? ATTEMPTS : FIRST_CONTACT_ATTEMPTS;
      const patienceMs = this.hasContact ? patienceWith(outcome) : 0;
      const isPatient = Date.now() - failingSince < patienceMs;
      if (!isPassing || signal.aborted || (attempt >= attempts && !isPatient)) throw this.toCliError(outcome);
      options.onSent?.(-sent);
      const pauseMs = Math.max(pauseBefore(attempt, outcome), attempt < attempts ? 0 : FIRST_PAUSE_MS);
      this.onRetry(`${describe(outcome)}; trying again in ${Math.ceil(pauseMs / 1000)} s`);
      await wait(pauseMs, undefined, { signal });
    }
  }

  /**
   * Replaces keys that have expired, once for all calls that notice it.
   * @param {string | undefined} expired the header that was refused
   * @param {() => Promise<Keys>} renewKeys
   */
  async renew(expired, renewKeys) {
    if (this.headers.authorization !== expired) return;
    this.renewing ??= renewKeys()
      .then((keys) => {
        this.headers.authorization = authorizationWith(keys);
      })
      .finally(() => {
        this.renewing = null;
      });
    await this.renewing;
  }

  /**
   * Returns all items of a list, page by page.
   * @param {string} path
   * @param {number} [max] stops once there are this many
   * @returns {Promise<Record<string, unknown>[]>}
   */
  async list(path, max = Number.POSITIVE_INFINITY) {
    const items = [];
    /** @type {string | undefined} */
    let next = path;
    while (next && items.length < max) {
      const { json, headers } = await this.call('GET', next);
      if (!Array.isArray(json))
        throw new CliError(EXIT.failure, `The server's answer to ${path} is not a list.`);
      items.push(...json);
      next = /<([^<>]+)>;\s*rel="next"/.exec(String(headers.link ?? ''))?.[1];
    }
    return items.slice(0, max);
  }

  /** @param {HttpAnswer | Error} outcome */
  toCliError(outcome) {
    if (outcome instanceof BodyError) {
      const details = outcome.isTooShort ? { code: FILE_CHANGED } : {};
      return new CliError(EXIT.failure, `${outcome.message} Deploy again.`, details);
    }
    if (outcome instanceof Error) {
      const advice = this.hasContact ? 'Run it again to continue.' : 'Is PORTAGE_URL right?';
      const message = `Cannot reach ${this.url.origin}: ${messageOf(outcome)}. ${advice}`;
      return new CliError(EXIT.network, message);
    }
    const { status, headers } = outcome;
    if (status >= 300 && status < 400) {
      const target = headers.location ?? 'another address';
      return new CliError(EXIT.usage, `${this.url.origin} redirects to ${target}. Set PORTAGE_URL to that.`, {
        status,
      });
    }
    const problem = parseProblem(outcome);
    const message = problem.detail ?? describePage(this.url.origin, status);
    const details = { status, code: problem.code, requestId: problem.request_id };
    return new CliError(exitCodeOf(status), message, details);
  }
}

/** @param {number} status */
function exitCodeOf(status) {
  if (status === 401) return EXIT.authentication;
  if (status === 429 || status >= 500) return EXIT.failure;
  return EXIT.refused;
}

/**
 * Returns what a response without a problem of ours says: it comes from something in front of the server.
 * @param {string} origin
 * @param {number} status
 */
function describePage(origin, status) {
  const page = `${origin} answered ${status} with a page that is not Portage’s.`;
  if (status === 413) {
    return `${page} A proxy in front of it limits the size of requests: its limit must be at least that of the largest file.`;
  }
  return `${page} Is PORTAGE_URL right? If so, look at what is in front of it, such as a proxy or a firewall.`;
}

/** @param {number} bodyBytes */
function silenceFor(bodyBytes) {
  return Math.min(SILENCE_MS + bodyBytes / SLOW_BYTES_PER_MS, UPLOAD_SILENCE_MS_MAX);
}

/** @param {unknown} error */
function toError(error) {
  return error instanceof Error ? error : new Error(String(error));
}

/**
 * @param {number} attempt
 * @param {HttpAnswer | Error} outcome
 */
function pauseBefore(attempt, outcome) {
  const statedMs = outcome instanceof Error ? null : readRetryAfter(outcome.headers['retry-after']);
  if (statedMs !== null) return Math.min(Math.max(statedMs, 0), LONGEST_RETRY_AFTER_MS);
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
  // Half is random, so that many clients do not retry at the same moment.
  return longest / 2 + (Math.random() * longest) / 2;
}

/**
 * Returns the wait in milliseconds that a server states in seconds, or a proxy as the date of its end; null without one.
 * @param {string | undefined} value
 */
function readRetryAfter(value) {
  if (value === undefined || value.trim() === '') return null;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return seconds * 1000;
  const until = Date.parse(value);
  return Number.isNaN(until) ? null : until - Date.now();
}

/**
 * Returns for how long a call is repeated, counted from its first failure, however many attempts that takes.
 * @param {HttpAnswer | Error} outcome
 */
function patienceWith(outcome) {
  if (outcome instanceof Error || OUTAGE_STATUSES.has(outcome.status)) return OUTAGE_PATIENCE_MS;
  if (isBeingSealed(outcome)) return BUSY_PATIENCE_MS;
  return outcome.status === 429 && outcome.headers['retry-after'] !== undefined ? BUSY_PATIENCE_MS : 0;
}

/**
 * Whether another run is sealing the same version: once it has, the call returns the same report.
 * @param {HttpAnswer} answer
 */
function isBeingSealed(answer) {
  return answer.status === 409 && parseProblem(answer).code === 'version_being_sealed';
}

/** @param {HttpAnswer | Error} outcome */
function describe(outcome) {
  if (outcome instanceof Error) return outcome.message;
  return isBeingSealed(outcome)
    ? 'Another run is sealing this version'
    : `The server answered ${outcome.status}`;
}

/** @param {HttpAnswer} answer */
function parseBody(answer) {
  if (answer.text === '') return null;
  try {
    return JSON.parse(answer.text);
  } catch {
    throw new CliError(EXIT.failure, 'The server’s answer is not JSON. Is PORTAGE_URL right?', {
      status: answer.status,
    });
  }
}

/**
 * @param {HttpAnswer} answer
 * @returns {{ detail?: string, code?: string, request_id?: string }}
 */
function parseProblem(answer) {
  if (!String(answer.headers['content-type']).startsWith('application/problem+json')) return {};
  try {
    return JSON.parse(answer.text);
  } catch {
    return {};
  }
}
