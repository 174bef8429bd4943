import type { ServerResponse } from 'node:http';
import { stopParsing } from './bound-parsing.ts';

/**
 * The requests of one connection of Node's HTTP server that wait for their responses. Node parses everything that
 * has arrived at once, which may be more than a thousand requests, while others wait. A client that sends more
 * ahead than the limit gets that many responses; the last one says that the connection ends, so that the client
 * repeats the others elsewhere. They are not even parsed.
 */
export class RequestsAhead {
  private readonly max: number;
  private waiting = 0;
  /** The connection ends with a response that is under way. */
  private isOver = false;

  constructor(max: number) {
    this.max = max;
  }

  /** No response is under way. */
  get isIdle(): boolean {
    return this.waiting === 0;
  }

  /** Whether the next request may be answered. */
  admit(outgoing: ServerResponse): boolean {
    if (this.isOver) return false;
    this.waiting += 1;
    if (this.waiting >= this.max) this.endWith(outgoing);
    outgoing.once('close', () => {
      this.waiting -= 1;
    });
    return true;
  }

  /** The connection ends with this response: what follows its request is dropped (RFC 9112, 9.6). */
  endWith(outgoing: ServerResponse): void {
    this.isOver = true;
    outgoing.shouldKeepAlive = false;
    stopParsing(outgoing.req.socket);
  }
}
