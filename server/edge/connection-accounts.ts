import type { Socket } from 'node:net';
import { AnswerAccount } from './answer-account.ts';
import type { EdgeAnswerRecord, EdgeMeter } from './ports.ts';

/** What node calls when bytes were taken, or never will be. */
export type Written = (error?: Error | null) => void;

/** Tells meters what the answers of one connection of the fast lane take. */
export class ConnectionAccounts {
  private readonly socket: Socket;
  /** Of answers that wait behind others, or are long. */
  private readonly open = new Set<AnswerAccount>();

  constructor(socket: Socket) {
    this.socket = socket;
  }

  /** Counts an answer of one write, just before it; the write tells whom this returns, if anyone. */
  count(meter: EdgeMeter | null, record: EdgeAnswerRecord, bytes: number): Written | undefined {
    if (meter === null) return undefined;
    if (this.socket.writableLength > 0) return this.countLater(meter, record, bytes);
    meter.count(record, bytes);
    return undefined;
  }

  /** Returns the account of a long answer whose first bytes are about to be written; null when nobody pays. */
  begin(meter: EdgeMeter | null, record: EdgeAnswerRecord): AnswerAccount | null {
    return meter === null ? null : new AnswerAccount(this.socket, meter, record);
  }

  /** Tells how a long answer goes on while it is sent. */
  async follow(account: AnswerAccount | null, send: (onSent: () => void) => Promise<unknown>): Promise<void> {
    if (account !== null) this.open.add(account);
    await send(() => account?.settle());
    // What broke off stays among them until 'close' says how much of it was sent.
    if (account !== null && !this.socket.destroyed) this.open.delete(account);
  }

  /** Tells, once the connection has closed, what was sent of the answers under way. */
  settle(): void {
    for (const account of this.open) account.settle();
    this.open.clear();
  }

  /** An answer that waits behind others is counted when it was handed over. */
  private countLater(meter: EdgeMeter, record: EdgeAnswerRecord, bytes: number): Written {
    const account = new AnswerAccount(this.socket, meter, record, undefined, bytes);
    this.open.add(account);
    return (error) => {
      if (error) return;
      account.settle();
      this.open.delete(account);
    };
  }
}
