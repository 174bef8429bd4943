/** Something held in memory that can be evicted. */
export interface Resident {
  readonly bytes: number;
  /** Set when something is served from it; spares it for another round. */
  wasUsed: boolean;
  /** Called once when the budget evicts it. */
  evict(): void;
}

/**
 * A byte limit over everything that the edge keeps in memory. Eviction goes round in order of arrival and
 * spares once what was used since the last round, so that a hit costs one assignment and a crawler does not
 * evict what visitors want.
 */
export class MemoryBudget {
  readonly bytesMax: number;
  private readonly residents = new Set<Resident>();
  private used = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  get bytesUsed(): number {
    return this.used;
  }

  /** Adds the resident and makes room for it. */
  add(resident: Resident): void {
    this.residents.add(resident);
    this.used += resident.bytes;
    for (const oldest of this.residents) {
      if (this.used <= this.bytesMax) return;
      this.residents.delete(oldest);
      if (oldest.wasUsed && oldest !== resident) {
        oldest.wasUsed = false;
        this.residents.add(oldest);
      } else {
        this.used -= oldest.bytes;
        oldest.evict();
      }
    }
  }

  /** Releases the memory of something that is no longer needed, without calling `evict`. */
  remove(resident: Resident): void {
    if (this.residents.delete(resident)) this.used -= resident.bytes;
  }
}
