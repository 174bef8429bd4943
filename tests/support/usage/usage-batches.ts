import type { App } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import { emptyRow } from '#server/metering/usage-rows.ts';
import { applyUsageBatch } from '#server/services/usage/apply-usage-batch.ts';
import { hourOf } from '#server/services/usage/rules.ts';
import type { UsageBatch, UsageBatchRow } from '#server/services/usage/schema.ts';

/** Returns a row of a node's batch for one series: only the given counts are not zero. */
export function usageRow(
  organizationId: string,
  { endpointId = null, siteId = null }: { endpointId?: string | null; siteId?: string | null },
  counted: Partial<UsageBatchRow> = {},
): UsageBatchRow {
  return { ...emptyRow({ organizationId, endpointId, siteId }), ...counted };
}

/** Returns the only batch of a new run, of the hour of an instant. */
export function usageBatch(at: number, rows: UsageBatchRow[], over: Partial<UsageBatch> = {}): UsageBatch {
  return { node_id: 'node', boot_id: newId(), sequence: 1, hour: hourOf(at), rows, ...over };
}

/** Counts rows in the hour of an instant, now by default. */
export async function countUsage(app: App, rows: UsageBatchRow[], at = app.clock.now()): Promise<void> {
  await applyUsageBatch(app, usageBatch(at, rows));
}
