import type { Socket } from 'node:net';
import type { EdgeMeter, EdgeResponseRecord } from '../ports.ts';
import { ResponseMetering } from '../response-metering.ts';

/** Node calls this when bytes were accepted, or never will be. */
export type Written = (error?: Error | null) => void;

/** Reports to meters the bytes of the responses of one connection of the fast path. */
export class ConnectionMetering {
  private readonly socket: Socket;
  /** For responses that wait behind others, or are long. */
  private readonly open = new Set<ResponseMetering>();

  constructor(socket: Socket) {
    this.socket = socket;
  }

  /** Counts a response with a single write, just before it; the write calls the returned function, if any. */
  count(meter: EdgeMeter | null, record: EdgeResponseRecord, bytes: number): Written | undefined {
    if (meter === null) return undefined;
    if (this.socket.writableLength > 0) return this.countLater(meter, record, bytes);
    meter.count(record, bytes);
    return undefined;
  }

  /**
   * Returns the metering of a long response whose first bytes are about to be written; null when it is billed to
   * no one.
   */
  begin(meter: EdgeMeter | null, record: EdgeResponseRecord): ResponseMetering | null {
    return meter === null ? null : new ResponseMetering(this.socket, meter, record);
  }

  /** Reports the progress of a long response while it is sent. */
  async follow(
    metering: ResponseMetering | null,
    send: (onSent: () => void) => Promise<unknown>,
  ): Promise<void> {
    if (metering !== null) this.open.add(metering);
    await send(() => metering?.settle());
    // A broken-off response stays among them until 'close' determines how much of it was sent.
    if (metering !== null && !this.socket.destroyed) this.open.delete(metering);
  }

  /** Reports what was sent of unfinished responses, once the connection has closed. */
  settle(): void {
    for (const metering of this.open) metering.settle();
    this.open.clear();
  }

  /** A response that waits behind others is counted when it has been handed over. */
  private countLater(meter: EdgeMeter, record: EdgeResponseRecord, bytes: number): Written {
    const metering = new ResponseMetering(this.socket, meter, record, undefined, bytes);
    this.open.add(metering);
    return (error) => {
      if (error) return;
      metering.settle();
      this.open.delete(metering);
    };
  }
}
