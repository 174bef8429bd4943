import { Agent, request } from 'node:http';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';

/** What was requested from one host. */
export interface Asked {
  /** Requests that were sent. */
  begun: number;
  /** Of these, those whose complete response arrived. */
  answered: number;
}

/** A port and its protocol; HTTP/1.1 by default. */
export interface EdgeListener {
  port: number;
  protocol?: 'http' | 'https' | 'http2';
}

/** Visitors who send requests continuously, each one at a time. */
export interface SteadyLoad {
  /** By host, since the load began. */
  asked: Map<string, Asked>;
  /** The failures of requests without a complete response. */
  failures: readonly string[];
  /** From now on they request another host. */
  turnTo(host: string): void;
  /** Resolves when the last response has arrived, or its connection has broken. */
  stop(): Promise<void>;
}

/** The message prefix when a request failed on a connection that had not served any before. */
export const NEVER_ACCEPTED = 'a new connection';

/**
 * Resolves when the complete response has arrived.
 * @throws when it has not
 */
type Ask = (host: string, path: string) => Promise<void>;

const VISITORS = 6;
/** Leaves the machine to other work in between. */
const PAUSE_MS = 20;

/** Starts sending requests to each listener of an edge; visitors whose connection breaks stop. */
export function startSteadyLoad(
  listeners: readonly EdgeListener[],
  firstHost: string,
  { visitors: visitorsPerListener = VISITORS, pauseMs = PAUSE_MS } = {},
): SteadyLoad {
  const asked = new Map<string, Asked>();
  const failures: string[] = [];
  const closing: (() => void)[] = [];
  let host = firstHost;
  let isStopped = false;
  const visit = async (ask: Ask, protocol: string) => {
    while (!isStopped) {
      const of = asked.get(host) ?? { begun: 0, answered: 0 };
      asked.set(host, of);
      of.begun += 1;
      try {
        await ask(host, of.begun % 5 === 0 ? '/none' : '/');
      } catch (error) {
        failures.push(`${protocol}: ${error instanceof Error ? error.message : String(error)}`);
        return;
      }
      of.answered += 1;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  const visitors = listeners.flatMap((listener) =>
    Array.from({ length: visitorsPerListener }, () => {
      const { ask, close } = approach(listener);
      closing.push(close);
      return visit(ask, listener.protocol ?? 'http');
    }),
  );
  return {
    asked,
    failures,
    turnTo: (next) => {
      host = next;
    },
    async stop() {
      isStopped = true;
      await Promise.all(visitors);
      for (const close of closing) close();
    },
  };
}

/** Returns how one visitor sends requests, on one connection as long as the edge keeps it. */
function approach({ port, protocol }: EdgeListener): { ask: Ask; close(): void } {
  if (protocol === 'http2') return approachHttp2(port);
  const isSecure = protocol === 'https';
  const agent = isSecure
    ? new SecureAgent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false })
    : new Agent({ keepAlive: true, maxSockets: 1 });
  const send = isSecure ? secureRequest : request;
  const ask: Ask = (host, path) =>
    new Promise((resolve, reject) => {
      const options = { agent, host: '127.0.0.1', port, path, headers: { host } };
      const sent = send({ ...options, ...(isSecure && { servername: host }) }, (response) => {
        response.on('error', reject);
        response.on('end', () => (response.complete ? resolve() : reject(new Error('half an answer'))));
        response.on('close', () => reject(new Error('closed')));
        response.resume();
      });
      sent.on('error', (error) => {
        // The connection had not been accepted: it ends with the port.
        reject(sent.reusedSocket ? error : new Error(`${NEVER_ACCEPTED}: ${error.message}`));
      });
      sent.end();
    });
  return { ask, close: () => agent.destroy() };
}

function approachHttp2(port: number): { ask: Ask; close(): void } {
  let session: ClientHttp2Session | null = null;
  let isNew = true;
  const open = (host: string): ClientHttp2Session => {
    // A session that received GOAWAY accepts no new streams.
    if (session !== null && !session.closed && !session.destroyed) return session;
    session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false, servername: host });
    session.on('error', () => undefined);
    isNew = true;
    return session;
  };
  const ask: Ask = async (host, path) => {
    try {
      // Node rejects what it has not sent when GOAWAY arrives; like every client, it retries elsewhere (RFC
      // 9113, 8.7).
      let code = await askStream(open(host), host, path);
      if (code === constants.NGHTTP2_REFUSED_STREAM) code = await askStream(open(host), host, path);
      if (code !== constants.NGHTTP2_NO_ERROR) throw new Error(`refused twice: ${code}`);
      isNew = false;
    } catch (error) {
      throw isNew ? new Error(`${NEVER_ACCEPTED}: ${String(error)}`) : error;
    }
  };
  return { ask, close: () => session?.destroy() };
}

/**
 * Resolves with the code of a stream that was fully served, or refused.
 * @throws when it ended otherwise
 */
function askStream(session: ClientHttp2Session, host: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':path': path, ':authority': host });
    let isWhole = false;
    stream.on('response', () => stream.resume());
    stream.on('end', () => {
      isWhole = true;
    });
    let cause = '';
    stream.on('error', (error) => {
      cause = error.cause instanceof Error ? error.cause.message : error.message;
    });
    stream.on('close', () => {
      const { NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants;
      const code = stream.rstCode ?? NGHTTP2_NO_ERROR;
      if (code === NGHTTP2_REFUSED_STREAM || (isWhole && code === NGHTTP2_NO_ERROR)) resolve(code);
      else reject(new Error(`the stream ended with ${code}: ${cause}`));
    });
  });
}
