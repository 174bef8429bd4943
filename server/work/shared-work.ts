/** Work that many may ask for at once and that is done once for all of them. */
export class SharedWork<T> {
  private readonly running = new Map<string, Promise<T>>();

  /** Returns the result of the work under way for the key, or of this one, which begins when there is none. */
  run(key: string, work: () => Promise<T>): Promise<T> {
    const known = this.running.get(key);
    if (known) return known;
    const begun = work().finally(() => this.running.delete(key));
    this.running.set(key, begun);
    return begun;
  }
}
