import type { Socket } from 'node:net';

/** The connections of an edge; a server stops counting them before their close event. */
export class OpenConnections {
  private count = 0;
  private wake: () => void = () => {};

  add(socket: Socket): void {
    this.count += 1;
    socket.once('close', () => {
      this.count -= 1;
      if (this.count === 0) this.wake();
    });
  }

  /** Resolves when none is open, and all close listeners of the last one have been called. */
  async none(): Promise<void> {
    if (this.count > 0) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}
