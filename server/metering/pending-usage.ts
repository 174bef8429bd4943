import type { UsageBatchRow } from '../services/usage/schema.ts';
import { keyOfSeries } from './usage-rows.ts';

/** What was counted for a series and has not been sent to the database. */
export interface PendingSeries {
  readonly organization_id: string;
  readonly endpoint_id: string | null;
  readonly site_id: string | null;
  bytes: number;
  requests: number;
}

/**
 * What this process has counted and not begun to send: the database cannot have it. A batch in flight is in
 * neither place until its outcome is known, so that nothing is ever counted twice.
 */
export class PendingUsage {
  private readonly series = new Map<string, PendingSeries>();
  /** Whether a batch is in flight, so that some usage is neither here nor known to be in the database. */
  isSending = false;

  /** Adds what was counted. */
  add(rows: readonly UsageBatchRow[]): void {
    for (const row of rows) this.change(row, 1);
  }

  /** Subtracts what is being sent. */
  take(rows: readonly UsageBatchRow[]): void {
    this.isSending = true;
    for (const row of rows) this.change(row, -1);
  }

  /** Forgets all of it: what the database has is no longer known. */
  clear(): void {
    this.series.clear();
  }

  list(): readonly PendingSeries[] {
    return [...this.series.values()];
  }

  private change(row: UsageBatchRow, sign: 1 | -1): void {
    const { organization_id, endpoint_id, site_id } = row;
    const key = keyOfSeries({
      organizationId: organization_id,
      endpointId: endpoint_id,
      siteId: site_id,
    });
    const known = this.series.get(key) ?? { organization_id, endpoint_id, site_id, bytes: 0, requests: 0 };
    known.bytes = Math.max(0, known.bytes + sign * row.bytes_sent);
    known.requests = Math.max(0, known.requests + sign * row.requests);
    if (known.bytes === 0 && known.requests === 0) this.series.delete(key);
    else this.series.set(key, known);
  }
}
