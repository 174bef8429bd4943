interface Waiting {
  begin: () => boolean;
  cost: number;
}

/**
 * Spreads simultaneous requests over turns of the event loop: a turn begins a few at most, over all clients,
 * and the rest wait for later turns, client by client, so that a client with many requests delays no other.
 * What was cancelled in the meantime costs nothing.
 */
export class FairTurns {
  private readonly waiting = new Map<string, Waiting[]>();
  private readonly perTurn: number;
  private left: number;
  private isArmed = false;

  /** @param perTurn how much one turn begins: this many, or fewer that cost more */
  constructor(perTurn: number) {
    this.perTurn = perTurn;
    this.left = this.perTurn;
  }

  /**
   * Begins now or in a later turn. `begin` returns false when there was nothing left to do; it must not
   * throw.
   * @param cost what it takes of a turn; a turn that has some left begins it, however much it costs
   */
  take(client: string, begin: () => boolean, cost = 1): void {
    this.arm();
    if (this.left > 0 && this.waiting.size === 0) {
      if (begin()) this.left -= cost;
      return;
    }
    const queue = this.waiting.get(client);
    if (queue === undefined) this.waiting.set(client, [{ begin, cost }]);
    else queue.push({ begin, cost });
  }

  /**
   * Takes part of this turn for something that begins at once; false when it has to wait for its turn with
   * `take`.
   */
  spend(cost: number): boolean {
    if (this.left <= 0 || this.waiting.size > 0) return false;
    this.arm();
    this.left -= cost;
    return true;
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
      const first = queue.shift();
      if (queue.length > 0) this.waiting.set(client, queue);
      if (first?.begin()) this.left -= first.cost;
    }
    if (this.waiting.size > 0) this.arm();
  };
}
