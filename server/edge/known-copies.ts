import { setImmediate as nextTurn } from 'node:timers/promises';
import { LoadQueue } from './memory/load-queue.ts';
import type { MemoryBudget } from './memory/memory-budget.ts';
import type { EdgePorts } from './ports.ts';
import { forgetResponses, type SiteView } from './site-view.ts';
import type { ViewSlot } from './site-views.ts';

/**
 * Updates the views in memory with encoded copies: these are made after a version went live, batch by batch.
 */
export class KnownCopies {
  private readonly ports: EdgePorts;
  private readonly budget: MemoryBudget;
  /** Views that are being updated, and whether another update was requested since. */
  private readonly running = new Map<SiteView, boolean>();

  /** One batch is read at a time, site by site in turn. */
  private readonly turns: LoadQueue;

  /** @param waitingMax views of one site; for those beyond, the next lookup of a host tries again */
  constructor(ports: EdgePorts, budget: MemoryBudget, waitingMax: number) {
    this.ports = ports;
    this.budget = budget;
    this.turns = new LoadQueue(1, waitingMax);
  }

  /**
   * Updates the view in the background with newly made copies. Costs nothing for a complete view. Called with
   * every lookup of a host: a change of the site causes one, and so does a minute.
   */
  refresh(slot: ViewSlot): void {
    const { view } = slot;
    if (view === null || view.copiesAfter === null) return;
    const isRunning = this.running.has(view);
    this.running.set(view, isRunning);
    if (isRunning) return;
    this.run(slot, view)
      // The file is served as deployed meanwhile, and the next lookup tries again.
      .catch(() => {})
      .finally(() => this.running.delete(view));
  }

  private async run(slot: ViewSlot, view: SiteView): Promise<void> {
    do {
      this.running.set(view, false);
      while (slot.view === view && view.copiesAfter !== null) {
        const after = view.copiesAfter;
        const isAll = await this.turns.run(view.siteId, () => this.take(view, after));
        if (isAll) break;
        await nextTurn();
      }
    } while (this.running.get(view));
  }

  private async take(view: SiteView, after: string): Promise<boolean> {
    const found = (await this.ports.findNewCopies?.(view.versionId, after)) ?? null;
    if (found === null) {
      view.copiesAfter = null;
      return true;
    }
    let isNews = false;
    for (const { path, brotliSize, gzipSize } of found.copies) {
      isNews = view.rules.files.setCopies(path, brotliSize, gzipSize) || isNews;
    }
    if (isNews) forgetResponses(view, this.budget);
    view.copiesAfter = found.after;
    return found.isAll;
  }
}
