import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconBrowser, IconBuilding, IconWorld } from '@tabler/icons-react';
import type { LimitScope } from '#server/services/billing/spending/limit-rules.ts';
import type { SpendingLimit } from '#server/services/billing/spending/schema.ts';
import { ReasonedAction } from '../../../components/hints/reasoned-action.tsx';
import { type BadgeColour, RowBadge } from '../../../components/lists/row-badge.tsx';
import { formatShare } from '../../../i18n/formats/format-share.ts';
import rows from '../managed-rows.module.css';
import { useMoney } from '../use-money.ts';
import { type LimitState, limitState } from './limit-state.ts';
import classes from './spending-limits.module.css';
import { useRemoveLimit } from './use-remove-limit.tsx';

const ICONS = { organization: IconBuilding, site: IconBrowser, endpoint: IconWorld };
const COLOURS: Record<LimitState, BadgeColour> = {
  stopped: 'red',
  reached: 'red',
  near: 'yellow',
  underway: 'gray',
  fine: 'gray',
};

/** One limit: what it applies to, how much of it is spent, and what happens when it is reached. */
export function SpendingLimitRow(props: {
  limit: SpendingLimit;
  isStorageBilled: boolean;
  reason: string | null;
  onEdit: () => void;
}) {
  const { t } = useLingui();
  const { limit, isStorageBilled, reason, onEdit } = props;
  const money = useMoney();
  const name = useLimitName()(limit);
  const { askToRemove, isRemoving } = useRemoveLimit();
  const { scope, amount_cents: amountCents, cap_cents: capCents } = limit;
  const state = limitState(limit);
  const ScopeIcon = ICONS[scope];
  const cap = money(capCents);
  const kinds: Record<LimitScope, string> = {
    organization: t`Organization, taxes included`,
    site: t`Site, before taxes`,
    endpoint: t`CDN endpoint, before taxes`,
  };
  const states: Record<LimitState, string | null> = {
    stopped: t`Stopped`,
    reached: t({ message: 'Reached', context: 'limit' }),
    near: t`Nearly reached`,
    underway: null,
    fine: null,
  };
  return (
    <li className={rows.row}>
      <div className={rows.head}>
        <ScopeIcon size={20} stroke={1.5} aria-hidden className={rows.icon} />
        <div className={rows.words}>
          <div className={rows.name}>
            <span>{name}</span>
            {states[state] !== null && <RowBadge colour={COLOURS[state]}>{states[state]}</RowBadge>}
          </div>
          <div className={rows.note}>
            {kinds[scope]} ·{' '}
            {limit.action === 'stop' ? (
              <Trans>stops serving at the limit</Trans>
            ) : (
              <Trans>notifies, keeps serving</Trans>
            )}
          </div>
        </div>
        <div className={rows.actions}>
          <ReasonedAction reason={reason} onAct={onEdit}>
            {(action) => (
              <Button variant="subtle" size="xs" aria-label={t`Change: ${name}`} {...action}>
                <Trans>Change</Trans>
              </Button>
            )}
          </ReasonedAction>
          <ReasonedAction reason={reason} onAct={() => void askToRemove(limit, name)}>
            {(action) => (
              <Button
                variant="subtle"
                color="red"
                size="xs"
                loading={isRemoving}
                aria-label={t`Remove: ${name}`}
                {...action}
              >
                <Trans>Remove</Trans>
              </Button>
            )}
          </ReasonedAction>
        </div>
      </div>
      <LimitMeter limit={limit} />
      {capCents > amountCents && limit.action === 'stop' && (
        <div className={rows.note}>
          {scope === 'organization' && isStorageBilled ? (
            <Trans>
              {cap} had already been spent this month when the limit was set: more than that is billed only
              for what is stored.
            </Trans>
          ) : (
            <Trans>
              {cap} had already been spent this month when the limit was set: that amount is billed, and no
              more.
            </Trans>
          )}
        </div>
      )}
    </li>
  );
}

/** How much of a limit is spent, as a bar and in words. */
function LimitMeter({ limit }: { limit: SpendingLimit }) {
  const { i18n } = useLingui();
  const money = useMoney();
  const { amount_cents: amountCents, spent_cents: spentCents } = limit;
  const spent = money(spentCents);
  const amount = money(amountCents);
  const share = amountCents === 0 ? 1 : Math.min(1, spentCents / amountCents);
  return (
    <div className={classes.progress}>
      <span className={classes.track} aria-hidden>
        <span
          className={classes.spent}
          data-state={limitState(limit)}
          style={{ width: `${(share * 100).toFixed(2)}%` }}
        />
      </span>
      <span className={classes.amounts}>
        <Trans>
          {spent} of {amount}
        </Trans>{' '}
        <span className={classes.quiet}>({formatShare(spentCents, amountCents || 1, i18n.locale)})</span>
      </span>
    </div>
  );
}

/** Returns a function that names what a limit applies to. */
export function useLimitName(): (limit: SpendingLimit) => string {
  const { t } = useLingui();
  return ({ scope, name, resource_id }) =>
    scope === 'organization' ? t`The whole organization` : (name ?? resource_id ?? '');
}
