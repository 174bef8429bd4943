import type { z } from 'zod';
import { type App, type OrganizationContext, requireAction } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inspectBundle } from './inspection/inspect-bundle.ts';
import { requireBundle } from './require-bundle.ts';
import { bundleInput, type DnsReport, dnsReportSchema } from './schema.ts';

/** Pages poll while someone waits for a record. */
const FRESH_MS = 3_000;

/** Inspections in progress in this process, by bundle: concurrent requests get the same answer. */
const underWay = new WeakMap<App, Map<string, Promise<DnsReport | null>>>();

/**
 * Returns the DNS report of a bundle's hostname: a recent one, otherwise that of a new inspection, which is
 * stored. It does not fail when the DNS does; the facts that could not be looked up are marked as such.
 * @throws bundle_not_found, out_of_scope, too_many_requests before anything was ever found
 */
export async function getDnsReport(
  context: OrganizationContext,
  input: z.input<typeof bundleInput>,
): Promise<DnsReport> {
  requireAction(context, 'endpoint.read');
  const { bundle_id } = bundleInput.parse(input);
  await requireBundle(context.app.db, context, bundle_id, 'read');
  const report = await once(context.app, bundle_id, () => findReport(context, bundle_id));
  if (!report) throw new AppError('bundle_not_found');
  return report;
}

async function findReport(context: OrganizationContext, bundleId: string): Promise<DnsReport | null> {
  const { app, organization } = context;
  const stored = await findStoredReport(app, bundleId);
  if (stored && Math.abs(app.clock.now() - Date.parse(stored.checked_at)) < FRESH_MS) return stored;
  try {
    await app.rateLimits.consume('dns_inspection_organization', organization.id);
  } catch (error) {
    if (stored) return stored;
    throw error;
  }
  return inspectBundle(context, bundleId);
}

async function findStoredReport(app: App, bundleId: string): Promise<DnsReport | null> {
  const row = await app.db
    .selectFrom('certificate_bundles')
    .select('dns_report')
    .where('id', '=', bundleId)
    .executeTakeFirst();
  if (!row?.dns_report) return null;
  // A report of an earlier release may have another shape.
  const parsed = dnsReportSchema.safeParse(JSON.parse(row.dns_report));
  return parsed.success ? parsed.data : null;
}

/** Starts the work, or joins it when it is already running. */
function once(app: App, bundleId: string, work: () => Promise<DnsReport | null>): Promise<DnsReport | null> {
  const inspections = underWay.get(app) ?? new Map<string, Promise<DnsReport | null>>();
  underWay.set(app, inspections);
  const known = inspections.get(bundleId);
  if (known) return known;
  const inspection = work().finally(() => inspections.delete(bundleId));
  inspections.set(bundleId, inspection);
  return inspection;
}
