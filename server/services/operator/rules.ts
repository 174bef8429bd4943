/** What an operator can switch on for an organization (spec/console.md, section 3). */
export const FEATURES = ['object_storage'] as const;
export type Feature = (typeof FEATURES)[number];

/** Whether an organization can have this feature. */
export function isFeature(name: string): name is Feature {
  return (FEATURES as readonly string[]).includes(name);
}

/** What an operator token may do: `read` looks everywhere, `manage` also changes. */
export const OPERATOR_ACCESS = ['read', 'manage'] as const;
export type OperatorAccess = (typeof OPERATOR_ACCESS)[number];

/** What an operator token begins with, so that people and secret scanners recognise it. */
export const OPERATOR_TOKEN_PREFIX = 'ptgop_';

/** Whether an operator token opens anything at this moment. */
export function isUsableToken(
  token: { revoked_at: number | null; expires_at: number | null },
  now: number,
): boolean {
  return token.revoked_at === null && (token.expires_at === null || token.expires_at > now);
}

/** How an organization stands. Suspended wins over detached: it is what an operator did. */
export const ORGANIZATION_STATES = ['active', 'suspended', 'detached'] as const;

/** What jobs work through. */
export const QUEUE_NAMES = [
  'mails',
  'certificates',
  'dns_looks',
  'encoded_copies',
  'webhooks',
  'bucket_emptyings',
  'invoices',
  'payment_events',
  'billing_notices',
] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

/** How many days of use the operator's screen shows, today included. */
export const OPERATED_USAGE_DAYS = 30;
