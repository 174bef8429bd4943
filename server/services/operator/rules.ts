import { DAY_MS } from '#server/durations.ts';

/** What an operator can turn on for an organization. */
export const FEATURES = ['object_storage'] as const;
export type Feature = (typeof FEATURES)[number];

/** Whether an organization can have this feature. */
export function isFeature(name: string): name is Feature {
  return (FEATURES as readonly string[]).includes(name);
}

/** What an operator token may do: `read` only reads, `manage` also changes. */
export const OPERATOR_ACCESS = ['read', 'manage'] as const;
export type OperatorAccess = (typeof OPERATOR_ACCESS)[number];

/** The prefix of operator tokens, so that people and secret scanners recognize them. */
export const OPERATOR_TOKEN_PREFIX = 'ptgop_';

/** Whether an operator token is currently usable. */
export function isUsableToken(
  token: { revoked_at: number | null; expires_at: number | null },
  now: number,
): boolean {
  return token.revoked_at === null && (token.expires_at === null || token.expires_at > now);
}

/** The states of an organization. Suspended wins over detached, because an operator did it. */
export const ORGANIZATION_STATES = ['active', 'suspended', 'detached'] as const;

/** The queues of the jobs. */
export const QUEUE_NAMES = [
  'mails',
  'certificates',
  'dns_checks',
  'encoded_copies',
  'webhooks',
  'bucket_emptyings',
  'upload_abandonments',
  'invoices',
  'payment_events',
  'billing_notices',
] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

/** How many days of usage the operator's screen shows, including today. */
export const OPERATED_USAGE_DAYS = 30;

/** How often a machine reports that it is alive, after what silence it counts as lost, and for how long it is remembered. */
export const MACHINE_REPORT_MS = 30_000;
export const MACHINE_SILENT_MS = 3 * MACHINE_REPORT_MS;
export const MACHINE_KEPT_MS = DAY_MS;
