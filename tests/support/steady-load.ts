import { Agent, request } from 'node:http';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';

/** What was asked of one host. */
export interface Asked {
  /** Requests that were sent. */
  begun: number;
  /** Of these, those whose whole answer arrived. */
  answered: number;
}

/** A port and what is spoken there; without a word, HTTP/1.1. */
export interface Door {
  port: number;
  protocol?: 'http' | 'https' | 'http2';
}

/** Visitors who ask again and again, each one request at a time. */
export interface SteadyLoad {
  /** By host, for as long as the load has run. */
  asked: Map<string, Asked>;
  /** What became of requests without a whole answer. */
  failures: readonly string[];
  /** From now on they ask for another host. */
  turnTo(host: string): void;
  /** Resolves when the last answer has come, or its connection has broken. */
  stop(): Promise<void>;
}

/** Begins the failure of a request on a connection that has not been answered before. */
export const NEVER_ACCEPTED = 'a new connection';

/** Resolves when the whole answer has come. @throws when it has not */
type Ask = (host: string, path: string) => Promise<void>;

const VISITORS = 6;
/** Leaves the machine to others in between. */
const PAUSE_MS = 4;

/** Begins to ask an edge at each door; visitors whose connection breaks stop asking it. */
export function startSteadyLoad(
  doors: readonly Door[],
  firstHost: string,
  { visitors: visitorsPerDoor = VISITORS, pauseMs = PAUSE_MS } = {},
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
  const visitors = doors.flatMap((door) =>
    Array.from({ length: visitorsPerDoor }, () => {
      const { ask, close } = approach(door);
      closing.push(close);
      return visit(ask, door.protocol ?? 'http');
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

/** Returns how one visitor asks, on one connection for as long as the edge keeps it. */
function approach({ port, protocol }: Door): { ask: Ask; close(): void } {
  if (protocol === 'http2') return approachHttp2(port);
  const isSecure = protocol === 'https';
  const agent = isSecure
    ? new SecureAgent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false })
    : new Agent({ keepAlive: true, maxSockets: 1 });
  const send = isSecure ? secureRequest : request;
  const ask: Ask = (host, path) =>
    new Promise((resolve, reject) => {
      const options = { agent, host: '127.0.0.1', port, path, headers: { host } };
      const sent = send({ ...options, ...(isSecure && { servername: host }) }, (answer) => {
        answer.on('error', reject);
        answer.on('end', () => (answer.complete ? resolve() : reject(new Error('half an answer'))));
        answer.on('close', () => reject(new Error('closed')));
        answer.resume();
      });
      sent.on('error', (error) => {
        // Nobody had accepted it: it ends with the port.
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
    // A session that was told to go (GOAWAY) is closed for new streams.
    if (session !== null && !session.closed && !session.destroyed) return session;
    session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false, servername: host });
    session.on('error', () => undefined);
    isNew = true;
    return session;
  };
  const ask: Ask = async (host, path) => {
    try {
      // Node refuses by itself what it has not sent when GOAWAY comes; like every client, it asks again elsewhere (RFC 9113, 8.7).
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

/** Resolves with the code of a stream that was answered whole, or refused. @throws when it ended otherwise */
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
