/** Work that may be requested many times at once and runs once for all of them. */
export class SharedWork<T> {
  private readonly running = new Map<string, Promise<T>>();

  /** Returns the result of the current work for the key, or starts this work when there is none. */
  run(key: string, work: () => Promise<T>): Promise<T> {
    const known = this.running.get(key);
    if (known) return known;
    const begun = work().finally(() => this.running.delete(key));
    this.running.set(key, begun);
    return begun;
  }
}
