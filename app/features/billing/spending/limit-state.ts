import type { SpendingLimit } from '#server/services/billing/spending/schema.ts';

/**
 * How far a limit is used: no longer served, reached, at the last alert before that, on the way, or hardly
 * used.
 */
export type LimitState = 'stopped' | 'reached' | 'near' | 'underway' | 'fine';

const NEAR_PERCENT = 90;
const UNDERWAY_PERCENT = 50;

/**
 * Returns how far a limit is used this month. If it was already exceeded when it was set, it counts as
 * reached once more is spent.
 */
export function limitState(
  limit: Pick<SpendingLimit, 'amount_cents' | 'spent_cents' | 'is_stopped'>,
): LimitState {
  const { amount_cents: amount, spent_cents: spent, is_stopped: isStopped } = limit;
  if (isStopped) return 'stopped';
  if (spent >= amount) return 'reached';
  if (spent * 100 >= amount * NEAR_PERCENT) return 'near';
  return spent * 100 >= amount * UNDERWAY_PERCENT ? 'underway' : 'fine';
}

/** Returns the limits that are shown everywhere in the console, the worst first. */
export function limitsToTell<L extends Parameters<typeof limitState>[0]>(limits: readonly L[]): L[] {
  const order: LimitState[] = ['stopped', 'reached', 'near'];
  return order.flatMap((state) => limits.filter((limit) => limitState(limit) === state));
}

/** Whether a limit of the organization, or of any of these, stops something. */
export function isStoppedBy(
  limits: readonly Pick<SpendingLimit, 'scope' | 'resource_id' | 'is_stopped'>[],
  resourceIds: readonly (string | null)[],
): boolean {
  return limits.some(
    ({ scope, resource_id, is_stopped }) =>
      is_stopped && (scope === 'organization' || resourceIds.includes(resource_id)),
  );
}
