import type { ServerResponse } from 'node:http';

/** After this many more, the connection is closed at once: Node would go on reading and keep all of them. */
const DROPPED_MAX = 100;

/**
 * The requests of one connection of Node's HTTP server that wait for their answers. Node parses everything that
 * has arrived at once, which may be more than a thousand requests, while others wait. A client that sends more
 * ahead than the limit gets that many answers; the last one says that the connection ends, so that the client
 * repeats the others elsewhere. One that sends far more is disconnected.
 */
export class RequestsAhead {
  private readonly max: number;
  private waiting = 0;
  /** Requests after the one whose answer ends the connection; null before that. */
  private dropped: number | null = null;

  constructor(max: number) {
    this.max = max;
  }

  /** Whether the next request may be answered. */
  admit(outgoing: ServerResponse): boolean {
    if (this.dropped !== null) {
      this.dropped += 1;
      if (this.dropped > DROPPED_MAX) outgoing.req.socket.destroy();
      return false;
    }
    this.waiting += 1;
    if (this.waiting >= this.max) {
      this.dropped = 0;
      outgoing.shouldKeepAlive = false;
    }
    outgoing.once('close', () => {
      this.waiting -= 1;
    });
    return true;
  }
}
