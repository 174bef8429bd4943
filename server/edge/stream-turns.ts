/** New streams served in one turn of the loop, over all connections: each costs up to a third of a millisecond, its first piece included. */
const perTurn = 32;

/**
 * Spreads new HTTP/2 streams over turns of the event loop. One read may bring hundreds of them, and one turn the reads of many
 * connections; beyond a few, the rest wait for later turns, visitor by visitor, so that whoever opens many makes nobody else wait.
 * What was taken back meanwhile costs nothing more.
 */
export class StreamTurns {
  private readonly waiting = new Map<string, (() => boolean)[]>();
  private left = perTurn;
  private isArmed = false;

  /**
   * Serves now or in a later turn. `serve` answers false when there was nothing left to do; it must not throw.
   */
  take(visitor: string, serve: () => boolean): void {
    this.arm();
    if (this.left > 0 && this.waiting.size === 0) {
      if (serve()) this.left -= 1;
      return;
    }
    const queue = this.waiting.get(visitor);
    if (queue === undefined) this.waiting.set(visitor, [serve]);
    else queue.push(serve);
  }

  private arm(): void {
    if (this.isArmed) return;
    this.isArmed = true;
    setImmediate(this.turn);
  }

  private readonly turn = (): void => {
    this.isArmed = false;
    this.left = perTurn;
    while (this.left > 0) {
      const next = this.waiting.entries().next();
      if (next.done) return;
      const [visitor, queue] = next.value;
      this.waiting.delete(visitor);
      const serve = queue.shift();
      if (queue.length > 0) this.waiting.set(visitor, queue);
      if (serve?.()) this.left -= 1;
    }
    if (this.waiting.size > 0) this.arm();
  };
}
