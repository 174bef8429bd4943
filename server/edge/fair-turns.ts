/**
 * Spreads what clients ask for at the same moment over turns of the event loop: a turn begins a few at most, over all clients,
 * and the rest wait for later turns, client by client, so that whoever asks much makes nobody else wait. What was taken back
 * meanwhile costs nothing more.
 */
export class FairTurns {
  private readonly waiting = new Map<string, (() => boolean)[]>();
  private readonly perTurn: number;
  private left: number;
  private isArmed = false;

  /** @param perTurn how many one turn begins */
  constructor(perTurn: number) {
    this.perTurn = perTurn;
    this.left = this.perTurn;
  }

  /** Begins now or in a later turn. `begin` answers false when there was nothing left to do; it must not throw. */
  take(client: string, begin: () => boolean): void {
    this.arm();
    if (this.left > 0 && this.waiting.size === 0) {
      if (begin()) this.left -= 1;
      return;
    }
    const queue = this.waiting.get(client);
    if (queue === undefined) this.waiting.set(client, [begin]);
    else queue.push(begin);
  }

  private arm(): void {
    if (this.isArmed) return;
    this.isArmed = true;
    setImmediate(this.turn);
  }

  private readonly turn = (): void => {
    this.isArmed = false;
    this.left = this.perTurn;
    while (this.left > 0) {
      const next = this.waiting.entries().next();
      if (next.done) return;
      const [client, queue] = next.value;
      this.waiting.delete(client);
      const begin = queue.shift();
      if (queue.length > 0) this.waiting.set(client, queue);
      if (begin?.()) this.left -= 1;
    }
    if (this.waiting.size > 0) this.arm();
  };
}
