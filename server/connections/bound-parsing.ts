import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { FairTurns } from './fair-turns.ts';

/** What Node keeps in a connection of its HTTP server and does not type. */
interface Inside {
  parser?: Parser | null;
  /** Node reads nothing while it is true. */
  _paused?: boolean;
}

interface Parser {
  /** Takes the head of a request. What it returns tells the parser how to go on. */
  onIncoming?: ((request: IncomingMessage, keepsAlive: boolean) => number) | null;
  pause(): void;
  resume(): void;
  /** Where it has the function that takes a piece of a body; without one it drops them. */
  constructor: { kOnBody?: number };
  [key: number]: unknown;
}

/** Has Node's parser drop what else has arrived with a request, as it does where another protocol begins. */
const STOP = 2;
/**
 * Requests of a connection that are parsed before anything else has a turn. Without this limit a read holds
 * several thousand, and each of a hundred connections would take a tenth of a second.
 */
const REQUESTS_A_TURN = 64;
/** What a connection may still send while its last responses are written; of more, it is disconnected. */
const DROPPED_BYTES_MAX = 64 * 1024;
/**
 * Every chunk of a body costs as much, however short it is, and a read holds ten thousand of a byte each. After
 * so many, those of a body have at least this many bytes on average. Programs that write line by line send more.
 */
const SMALL_CHUNKS_MAX = 1_000;
const CHUNK_BYTES_MIN = 16;
/** A connection that sends more chunks than this before anything else has a turn waits for its next one. */
const CHUNKS_A_TURN = 256;

const stopped = new WeakSet<Socket>();
/** One connection with many chunks is read in a turn, of whichever listener. */
const chunkTurns = new FairTurns(1);

/** Counts the turns of the event loop in which requests are parsed, once for all connections. */
let turn = 0;
let isTurnNoted = false;

function noteTurn(): void {
  if (isTurnNoted) return;
  isTurnNoted = true;
  setImmediate(() => {
    isTurnNoted = false;
    turn += 1;
  });
}

/**
 * Has Node's HTTP server stop parsing what a connection has sent when that is too much at once, or after {@link
 * stopParsing}. Call it when the server has the connection.
 */
export function boundParsing(socket: Socket): void {
  const { parser } = socket as Socket & Inside;
  const take = parser?.onIncoming;
  if (!parser || typeof take !== 'function') return;
  let parsed = 0;
  let parsedIn = turn;
  const beginBody = boundChunks(socket, parser);
  parser.onIncoming = (request, keepsAlive) => {
    if (stopped.has(socket)) {
      dropRest(socket);
      return STOP;
    }
    noteTurn();
    if (parsedIn !== turn) parsed = 0;
    parsedIn = turn;
    parsed += 1;
    if (parsed > REQUESTS_A_TURN) {
      socket.destroy();
      return STOP;
    }
    beginBody();
    return take(request, keepsAlive);
  };
}

/** From the next request on, what the connection sends is dropped unparsed. */
export function stopParsing(socket: Socket): void {
  stopped.add(socket);
}

/** Reads on: closing a connection with unread bytes discards responses that the client has not read yet. */
export function dropRest(socket: Socket): void {
  let dropped = 0;
  socket.removeAllListeners('data');
  socket.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > DROPPED_BYTES_MAX) socket.destroy();
  });
}

/**
 * Lets a body that comes in many short chunks delay no other connection. Returns the function to call when another
 * body begins.
 */
function boundChunks(socket: Socket & Inside, parser: Parser): () => void {
  const { kOnBody } = parser.constructor;
  const onBody = kOnBody === undefined ? null : parser[kOnBody];
  if (kOnBody === undefined || typeof onBody !== 'function') return () => undefined;
  let chunks = 0;
  let bytes = 0;
  let inTurn = 0;
  const resume = () => {
    inTurn = 0;
    if (socket.destroyed || socket.parser !== parser) return false;
    socket._paused = false;
    parser.resume();
    socket.resume();
    return true;
  };
  const endTurn = () => {
    if (inTurn < CHUNKS_A_TURN) inTurn = 0;
    else chunkTurns.take(socket.remoteAddress ?? '', resume);
  };
  parser[kOnBody] = (chunk: Buffer) => {
    if (inTurn === 0) setImmediate(endTurn);
    chunks += 1;
    inTurn += 1;
    bytes += chunk.length;
    if (chunks > SMALL_CHUNKS_MAX && bytes < chunks * CHUNK_BYTES_MIN) {
      socket.destroy();
      // What is left of this read is dropped.
      parser[kOnBody] = null;
      return;
    }
    if (inTurn === CHUNKS_A_TURN) {
      socket._paused = true;
      socket.pause();
    }
    onBody.call(parser, chunk);
  };
  // Node uses parsers again, from here on.
  socket.once('close', () => {
    parser[kOnBody] = onBody;
  });
  return () => {
    chunks = 0;
    bytes = 0;
  };
}
