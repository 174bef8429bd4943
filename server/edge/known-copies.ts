import { setImmediate as nextTurn } from 'node:timers/promises';
import { LoadQueue } from './load-queue.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { EdgePorts } from './ports.ts';
import { forgetAnswers, type SiteView } from './site-view.ts';
import type { ViewSlot } from './site-views.ts';

/** Keeps the views in memory up to date with encoded copies: they are made after a version went live, portion by portion. */
export class KnownCopies {
  private readonly ports: EdgePorts;
  private readonly budget: MemoryBudget;
  /** Views that are being brought up to date, and whether somebody has asked for it again since. */
  private readonly running = new Map<SiteView, boolean>();

  /** One portion is read at a time, site by site in turn. */
  private readonly turns: LoadQueue;

  /** @param waitingMax views of one site; the next look-up of a host tries again for those beyond */
  constructor(ports: EdgePorts, budget: MemoryBudget, waitingMax: number) {
    this.ports = ports;
    this.budget = budget;
    this.turns = new LoadQueue(1, waitingMax);
  }

  /**
   * Takes over, behind the caller's back, what was made since. Costs nothing for a view that knows all. Called with every
   * look-up of a host: a change of the site causes one, and so does a minute.
   */
  refresh(slot: ViewSlot): void {
    const { view } = slot;
    if (view === null || view.copiesAfter === null) return;
    const isRunning = this.running.has(view);
    this.running.set(view, isRunning);
    if (isRunning) return;
    this.run(slot, view)
      // The file goes out as deployed meanwhile, and the next look-up tries again.
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
    if (isNews) forgetAnswers(view, this.budget);
    view.copiesAfter = found.after;
    return found.isAll;
  }
}
