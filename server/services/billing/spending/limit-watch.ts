import type { App } from '#server/context.ts';
import type { PendingSeries } from '#server/metering/pending-usage.ts';
import type { EdgeChange } from '#server/services/edge-changes/edge-changes.ts';
import { billedDays, pricesIn } from '../months/billing-terms.ts';
import { measureMonth } from '../months/measure-usage.ts';
import { monthOf, monthStart } from '../months/month-rules.ts';
import { findNotedBilling, type NotedBilling } from '../note-billing-mode.ts';
import { findLimits, findTaxPlace, spentUnder } from './find-limits.ts';
import { capOf, isStoppedAt } from './limit-rules.ts';
import { listStopChanges, type Stop } from './list-stop-changes.ts';

interface LimitWatchParts {
  app: Pick<App, 'config' | 'db' | 'clock'>;
  /** What this process has counted and the database does not have yet. */
  pending(): readonly PendingSeries[];
  /** Whether counts of this process are being sent: neither pending nor certainly in the database. */
  isSending(): boolean;
  /** Makes the edge reload a host. */
  forget(change: EdgeChange): void;
}

/** A limit that was reached: its amount, and the month. */
interface ReachedLimit extends Stop {
  capCents: number;
  monthStart: number;
}

/**
 * Stops what has reached a spending limit, at one edge and on its own: it adds its own counts to those in the
 * database, so that no job needs to run for it. It considers the organizations that it serves.
 */
export class LimitWatch {
  private readonly parts: LimitWatchParts;
  /** What is stopped, by organization. */
  private readonly stops = new Map<string, readonly ReachedLimit[]>();
  /** Organizations served since the last run. */
  private served = new Set<string>();

  constructor(parts: LimitWatchParts) {
    this.parts = parts;
  }

  /** Whether this edge stops one of these: the organization itself, or one of its resources. */
  isStopped(organizationId: string, resourceIds: readonly (string | null)[]): boolean {
    const stops = this.stops.get(organizationId) ?? [];
    return stops.some((stop) => stop.scope === 'organization' || resourceIds.includes(stop.resource_id));
  }

  /** Records which organizations this edge has served. */
  note(organizationIds: Iterable<string>): void {
    for (const id of organizationIds) this.served.add(id);
  }

  /**
   * Decides again about every organization that was served or is stopped.
   * @throws when the database is unavailable: everything then stays as it is
   */
  async look(): Promise<void> {
    const { app } = this.parts;
    const ids = new Set([...this.served, ...this.stops.keys()]);
    this.served = new Set();
    try {
      const billing = await findNotedBilling(app.db);
      const limited = new Set(billing === null ? [] : await listLimited(app, billing.mode));
      for (const id of ids) {
        const isLimited = billing !== null && limited.has(id);
        await this.apply(id, isLimited ? await this.findReached(id, billing) : []);
      }
    } catch (error) {
      this.note(ids);
      throw error;
    }
  }

  private async findReached(organizationId: string, billing: NotedBilling): Promise<ReachedLimit[]> {
    const { app, pending, isSending } = this.parts;
    const account = { organizationId, mode: billing.mode };
    const now = app.clock.now();
    const month = monthOf(now);
    // Looked at before the database is: what is on its way there meanwhile is not added to itself.
    const { start } = billedDays(billing, month);
    const own = pending().filter((series) => series.organization_id === organizationId && now >= start);
    // A limit that was reached stays so while the usage that reached it may be missing from the sum.
    const kept = isSending() ? (this.stops.get(organizationId) ?? []) : [];
    const limits = await findLimits(app.db, account);
    const known = await measureMonth(app.db, app, organizationId, { month, terms: billing, until: now });
    const place = await findTaxPlace(app.db, account);
    const counted = own.map(({ endpoint_id, site_id, bytes, requests }) => ({
      endpoint_id,
      site_id,
      bytes: String(bytes),
      requests: String(requests),
    }));
    const usage = { ...known, served: [...known.served, ...counted] };
    const { registrations } = billing;
    const facts = { usage, month, place, registrations, prices: pricesIn(billing, month) };
    return limits.flatMap((limit) => {
      const { scope, resource_id } = limit;
      const reached = { scope, resource_id, capCents: capOf(limit, month), monthStart: monthStart(month) };
      const spent = spentUnder(limit, facts);
      return isStoppedAt(limit, spent, month) || kept.some((stop) => isSame(stop, reached)) ? [reached] : [];
    });
  }

  private async apply(organizationId: string, reached: readonly ReachedLimit[]): Promise<void> {
    const { app, forget } = this.parts;
    const changed = differenceOf(this.stops.get(organizationId) ?? [], reached);
    if (changed.length === 0) return;
    const changes = await listStopChanges(app.db, app.config, organizationId, changed);
    if (reached.length > 0) this.stops.set(organizationId, reached);
    else this.stops.delete(organizationId);
    for (const change of changes) forget(change);
  }
}

async function listLimited({ db }: Pick<App, 'db'>, mode: NotedBilling['mode']): Promise<string[]> {
  const rows = await db
    .selectFrom('spending_limits')
    .select('organization_id')
    .distinct()
    .where('mode', '=', mode)
    .where('action', '=', 'stop')
    .execute();
  return rows.map(({ organization_id }) => organization_id);
}

/** Whether only usage can have changed the state of a limit. */
function isSame(one: ReachedLimit, other: ReachedLimit): boolean {
  return (
    one.scope === other.scope &&
    one.resource_id === other.resource_id &&
    one.capCents === other.capCents &&
    one.monthStart === other.monthStart
  );
}

/** What is in only one of two lists. */
function differenceOf(one: readonly Stop[], other: readonly Stop[]): Stop[] {
  const lacks = (list: readonly Stop[], stop: Stop) =>
    !list.some(({ scope, resource_id }) => scope === stop.scope && resource_id === stop.resource_id);
  return [...one.filter((stop) => lacks(other, stop)), ...other.filter((stop) => lacks(one, stop))];
}
