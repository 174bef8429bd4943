import type { Socket } from 'node:net';
import { AnswerMetering } from '../answer-metering.ts';
import type { EdgeAnswerRecord, EdgeMeter } from '../ports.ts';

/** Node calls this when bytes were accepted, or never will be. */
export type Written = (error?: Error | null) => void;

/** Reports to meters the bytes of the answers of one fast-lane connection. */
export class ConnectionMetering {
  private readonly socket: Socket;
  /** For answers that wait behind others, or are long. */
  private readonly open = new Set<AnswerMetering>();

  constructor(socket: Socket) {
    this.socket = socket;
  }

  /** Counts an answer with a single write, just before it; the write calls the returned function, if any. */
  count(meter: EdgeMeter | null, record: EdgeAnswerRecord, bytes: number): Written | undefined {
    if (meter === null) return undefined;
    if (this.socket.writableLength > 0) return this.countLater(meter, record, bytes);
    meter.count(record, bytes);
    return undefined;
  }

  /**
   * Returns the metering of a long answer whose first bytes are about to be written; null when it is billed to
   * no one.
   */
  begin(meter: EdgeMeter | null, record: EdgeAnswerRecord): AnswerMetering | null {
    return meter === null ? null : new AnswerMetering(this.socket, meter, record);
  }

  /** Reports the progress of a long answer while it is sent. */
  async follow(
    metering: AnswerMetering | null,
    send: (onSent: () => void) => Promise<unknown>,
  ): Promise<void> {
    if (metering !== null) this.open.add(metering);
    await send(() => metering?.settle());
    // A broken-off answer stays among them until 'close' determines how much of it was sent.
    if (metering !== null && !this.socket.destroyed) this.open.delete(metering);
  }

  /** Reports what was sent of unfinished answers, once the connection has closed. */
  settle(): void {
    for (const metering of this.open) metering.settle();
    this.open.clear();
  }

  /** An answer that waits behind others is counted when it has been handed over. */
  private countLater(meter: EdgeMeter, record: EdgeAnswerRecord, bytes: number): Written {
    const metering = new AnswerMetering(this.socket, meter, record, undefined, bytes);
    this.open.add(metering);
    return (error) => {
      if (error) return;
      metering.settle();
      this.open.delete(metering);
    };
  }
}
